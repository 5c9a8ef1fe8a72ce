import { configOrExit, readConfig } from '@lockstep/config';
import { buildProgram } from './program.ts';
import { endWithReader } from './signals.ts';

/** The lockstep command (rules 9). Results go to standard output, faults to standard error with status 1. */
const program = buildProgram(configOrExit(readConfig));
endWithReader();
try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`lockstep: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
