import { CommanderError } from 'commander';

/** The exit statuses of the command, beside 0 (rules 9). */
export const STATUS = {
  /** Anything else. */
  fault: 1,
  /** The service or the rules say no; or an order failed, where `--fail-on-failed` asks for it. */
  refused: 2,
  /** What was named is not there. */
  notFound: 4,
  /** What was typed cannot be used: an option, a command, a file, an address; or it does not say which service. */
  usage: 64,
  /** The service or the database cannot be reached, or cannot answer now: the same may be good later. */
  unreachable: 69,
  /** As shells have them. */
  SIGINT: 130,
  SIGPIPE: 141,
  SIGTERM: 143,
} as const;

/** Why a command ends, by the name of its status. */
export type FaultKind = 'fault' | 'refused' | 'notFound' | 'usage' | 'unreachable';

/** Ends the command with a status of its own. The message is for people. */
export class CommandFault extends Error {
  readonly kind: FaultKind;

  constructor(kind: FaultKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CommandFault';
    this.kind = kind;
  }
}

/** The exit status for what a command threw. An Error with a cause only says more than that, and has its status. */
export function statusOf(error: unknown): number {
  if (error instanceof CommandFault) return STATUS[error.kind];
  // It is thrown for --help and --version too, with 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : STATUS.usage;
  return error instanceof Error && error.cause !== undefined ? statusOf(error.cause) : STATUS.fault;
}
