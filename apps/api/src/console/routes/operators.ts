import type { ServerOptions } from '../../server-options.ts';
import type { ConsoleHandlers } from '../handlers.ts';

export function operatorsHandlers(_options: ServerOptions) {
  return {} satisfies ConsoleHandlers;
}
