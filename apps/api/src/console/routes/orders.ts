import type { ServerOptions } from '../../server-options.ts';
import type { ConsoleHandlers } from '../handlers.ts';

export function ordersHandlers(_options: ServerOptions) {
  return {} satisfies ConsoleHandlers;
}
