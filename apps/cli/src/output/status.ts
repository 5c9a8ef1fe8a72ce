import { CommanderError } from 'commander';

/** The exit statuses of the command other than 0 (rules 9). */
export const STATUS = {
  /** Any other error. */
  fault: 1,
  /** Refused by the service or its rules; with `--fail-on-failed`, also an order that failed. */
  refused: 2,
  /** What the command names does not exist. */
  notFound: 4,
  /** An invalid option, command, file or address, or no service named. */
  usage: 64,
  /** The service or the database is unreachable or cannot answer now; the same command may succeed later. */
  unreachable: 69,
  /** 128 plus the signal, as in shells. */
  SIGHUP: 129,
  SIGINT: 130,
  SIGPIPE: 141,
  SIGTERM: 143,
} as const;

/** The kind of an error, which determines the exit status. */
export type FaultKind = keyof typeof STATUS;

/** An error that ends the command with the exit status of its kind. The message is for people. */
export class CommandFault extends Error {
  readonly kind: FaultKind;

  constructor(kind: FaultKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CommandFault';
    this.kind = kind;
  }
}

/** Returns the exit status for what a command threw. An Error with a cause has the status of its cause. */
export function statusOf(error: unknown): number {
  if (error instanceof CommandFault) return STATUS[error.kind];
  // commander also throws for --help and --version, with exit code 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : STATUS.usage;
  return error instanceof Error && error.cause !== undefined ? statusOf(error.cause) : STATUS.fault;
}
