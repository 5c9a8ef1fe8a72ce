export type { Operator } from './operator.ts';
export { type Change, listChanges, recordChange } from './record.ts';
