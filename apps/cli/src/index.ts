export { migrateDatabase } from './migrate-database.ts';
