export * from './access.ts';
export * from './causes.ts';
export * from './customers.ts';
export * from './envelope.ts';
export { checkInstances, checkSize, instancesOf } from './order-size.ts';
export * from './orders.ts';
export * from './parse.ts';
export * from './results.ts';
