import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** The keys whose values never reach a log. */
const SECRETS = new Set([
  // Node.js gives the names of headers in lower case.
  'authorization',
  'clientToken',
  'clienttoken',
  'userToken',
  'usertoken',
  'access_token',
  'client_secret',
  'appSecret',
  'password',
  'passwords',
  'passwordMobile',
  // Those of webhooks, as answers and columns name them.
  'secret',
  'secrets',
  'old_secret',
]);

/** Creates a process's logger: JSON lines, with secrets hidden at the first two levels of a logged object. */
export function createLogger(
  options: { level: string; name: string },
  destination: DestinationStream = pino.destination(1),
): Logger {
  const log = pino(
    {
      name: options.name,
      level: options.level,
      // Not pino's own redaction, which takes as long as a poll's statements.
      formatters: { log: (object) => hideSecrets(object, 2) },
      serializers: { err: errorWithoutData },
    },
    destination,
  );
  // Children of children inherit it. The formatter does not see what a child is created with.
  const { child } = log;
  log.child = function newChild(this: Logger, bindings, options) {
    return child.call(this, hideSecrets(bindings, 2), options);
  } as typeof child;
  return log;
}

/** Reduces an error to what may be logged: not PostgreSQL's `detail` and `where`, which quote rows. */
function errorWithoutData(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  const code = (error as { code?: unknown }).code;
  return { name, message, code, stack, ...(cause === undefined ? {} : { cause: errorWithoutData(cause) }) };
}

/** Returns an object without secrets in its first levels: itself if there are none. */
function hideSecrets(object: Record<string, unknown>, levels: number): Record<string, unknown> {
  let hidden: Record<string, unknown> | undefined;
  for (const key of Object.keys(object)) {
    const value = object[key];
    const shown =
      SECRETS.has(key) && value !== undefined ? '[redacted]' : levels > 1 ? hideInside(value, levels) : value;
    if (shown === value) continue;
    hidden ??= { ...object };
    hidden[key] = shown;
  }
  return hidden ?? object;
}

/** Lists have no keys, and errors a serializer. */
function hideInside(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value) || ArrayBuffer.isView(value) || value instanceof Error) return value;
  return hideSecrets(value as Record<string, unknown>, levels - 1);
}
