// What tests of the whole service need of the inside. Nothing else imports it.

export { buildProgram } from './program.ts';
export { prepareDemo } from './stack/demo.ts';
