import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** What never reaches a log, wherever it stands in a logged object. */
const SECRETS = [
  // Node gives the names of headers in lower case.
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
];

/** Makes the process's logger: JSON lines, secrets redacted at the first two levels of an object. */
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

/** An error as it may be logged: PostgreSQL's `detail` and `where` quote rows, so they stay out. */
function errorWithoutData(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  const code = (error as { code?: unknown }).code;
  return { name, message, code, stack, ...(cause === undefined ? {} : { cause: errorWithoutData(cause) }) };
}
