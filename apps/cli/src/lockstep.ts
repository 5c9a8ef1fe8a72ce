import { endWithReader } from './output/terminal.ts';
import { buildProgram } from './program.ts';

/** The lockstep command (rules 9). Results go to standard output, faults to standard error with status 1. */
const program = buildProgram(process.env);
endWithReader();
try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`lockstep: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
