// Internals that only tests of the whole service import.

export { superuserPasswordPath } from './cluster.ts';
