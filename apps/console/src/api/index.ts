export { CallFailure, type CallOf, callOperation, downloadOperation, RawJson } from './calls.ts';
export { useChange, useMay, useMayCall, useMe, useOperation } from './operations.ts';
