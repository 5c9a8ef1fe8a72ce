// What tests of the whole service need of the inside. Nothing else imports it.

export { superuserPasswordPath } from './cluster.ts';
