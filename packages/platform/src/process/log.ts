import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/**
 * Creates a process's logger. It writes JSON lines, and redacts the keys in `secrets` in the first two levels of a
 * logged object.
 */
export function createLogger(
  options: { level: string; name: string; secrets: ReadonlySet<string> },
  destination: DestinationStream = pino.destination(1),
): Logger {
  const { name, level, secrets } = options;
  const hide = (object: Record<string, unknown>) => hideSecrets(object, secrets, 2);
  const log = pino(
    {
      name,
      level,
      // pino's own redaction takes as long as the statements of a poll.
      formatters: { log: hide },
      serializers: { err: errorWithoutData },
    },
    destination,
  );
  // The formatter does not see the bindings of a child. Children of children inherit this.
  const { child } = log;
  log.child = function newChild(this: Logger, bindings, options) {
    return child.call(this, hide(bindings), options);
  } as typeof child;
  return log;
}

/** Returns what may be logged of an error. Omits PostgreSQL's `detail` and `where`, which quote rows. */
function errorWithoutData(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  const code = (error as { code?: unknown }).code;
  return { name, message, code, stack, ...(cause === undefined ? {} : { cause: errorWithoutData(cause) }) };
}

/** Redacts secrets in the first levels of an object. Returns the object itself if it has none. */
function hideSecrets(
  object: Record<string, unknown>,
  secrets: ReadonlySet<string>,
  levels: number,
): Record<string, unknown> {
  let hidden: Record<string, unknown> | undefined;
  for (const key of Object.keys(object)) {
    const value = object[key];
    const shown = secrets.has(key) && value !== undefined ? '[redacted]' : hideInside(value, secrets, levels - 1);
    if (shown === value) continue;
    hidden ??= { ...object };
    hidden[key] = shown;
  }
  return hidden ?? object;
}

/** Skips lists, which have no keys, and errors, which have a serializer. */
function hideInside(value: unknown, secrets: ReadonlySet<string>, levels: number): unknown {
  if (levels === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value) || ArrayBuffer.isView(value) || value instanceof Error) return value;
  return hideSecrets(value as Record<string, unknown>, secrets, levels);
}
