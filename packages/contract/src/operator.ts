// Who reads across applications. Only the console and packages/operators may import it.

export { OPERATOR } from './access.ts';
