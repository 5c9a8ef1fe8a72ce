import { CommanderError } from 'commander';
import { statusOf } from './output/status.ts';
import { endWithReader, sayAside } from './output/terminal.ts';
import { buildProgram } from './program.ts';

/** The lockstep command (rules 9). Prints results to standard output and errors to standard error. */
endWithReader();
try {
  await buildProgram(process.env).parseAsync();
} catch (error) {
  // commander has printed its own errors.
  if (!(error instanceof CommanderError)) {
    sayAside(`lockstep: ${error instanceof Error ? error.message : String(error)}`);
  }
  process.exitCode = statusOf(error);
}
