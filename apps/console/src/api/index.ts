export { CallFailure } from './call-failure.ts';
export { type CallOf, callOperation, downloadOperation, operationUrl, RawJson } from './call-operation.ts';
export { useMay, useMayCall, useMe } from './me.ts';
export { type Change, useChange } from './use-change.ts';
export { type Reading, type ReadOptions, useOperation } from './use-operation.ts';
