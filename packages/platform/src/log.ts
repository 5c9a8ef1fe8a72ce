import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** The keys whose values never reach a log. */
const SECRETS = [
  // Node.js gives the names of headers in lower case.
  ...[
    'authorization',
    'clientToken',
    'clienttoken',
    'userToken',
    'usertoken',
    'access_token',
    'client_secret',
    'appSecret',
  ],
  ...['password', 'passwords', 'passwordMobile'],
  // Those of webhooks, as answers and columns name them.
  ...['secret', 'secrets', 'old_secret'],
];

/** Creates a process's logger: JSON lines, with secrets hidden at the first two levels of a logged object. */
export function createLogger(
  options: { level: string; name: string },
  destination: DestinationStream = pino.destination(1),
): Logger {
  return pino(
    {
      name: options.name,
      level: options.level,
      redact: { paths: SECRETS.flatMap((key) => [key, `*.${key}`]), censor: '[redacted]' },
      serializers: { err: errorWithoutData },
    },
    destination,
  );
}

/** Reduces an error to what may be logged: not PostgreSQL's `detail` and `where`, which quote rows. */
function errorWithoutData(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  const code = (error as { code?: unknown }).code;
  return { name, message, code, stack, ...(cause === undefined ? {} : { cause: errorWithoutData(cause) }) };
}
