// Internals for tests of the whole service. Nothing else imports this module.

export { statusOf } from './output/status.ts';
export { buildProgram } from './program.ts';
export { prepareDemo } from './stack/demo.ts';
