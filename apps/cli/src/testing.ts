// What tests of the whole service need of the inside. Nothing else imports it.

export { prepareDemo } from './demo.ts';
export { buildProgram } from './program.ts';
