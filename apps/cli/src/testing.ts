// Internals for tests of the whole service. Nothing else imports this module.

export { buildProgram } from './program.ts';
export { prepareDemo } from './stack/demo.ts';
