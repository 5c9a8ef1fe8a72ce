export { CallFailure } from './call-failure.ts';
export { type CallOf, callOperation, downloadOperation, RawJson } from './call-operation.ts';
export { useMay, useMayCall, useMe } from './me.ts';
export { useChange } from './use-change.ts';
export { useOperation } from './use-operation.ts';
