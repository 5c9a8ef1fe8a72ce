// Internals for tests of the whole service. Nothing else imports this module.

export { FaultPlan } from './certify/faults.ts';
export { RULES } from './certify/judge.ts';
export { FaultyProxy } from './certify/proxy.ts';
export { statusOf } from './output/status.ts';
export { buildProgram } from './program.ts';
export { prepareDemo } from './stack/demo.ts';
