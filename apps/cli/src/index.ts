export { migrateDatabase } from './stack/migrate-database.ts';
