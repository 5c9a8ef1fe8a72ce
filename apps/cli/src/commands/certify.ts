import type { Command } from 'commander';
import { parseInteger } from '../options.ts';

const HELP = `
The command starts a service of its own with demo data, and prints its address,
appKey and secret as variables for the integration; a given command gets them in
its environment. Then it loses answers, cuts connections, repeats calls, revokes
tokens, and forges and repeats webhooks. When the command ends, after --for
seconds, or at Ctrl-C, it reports what the integration did wrong.

Exit status:
  0    Nothing wrong, though calls were disturbed
  2    Something wrong, no call was disturbed, or the command failed
  130  Stopped by Ctrl-C, whatever the report says (SIGTERM: 143)`;

/** Adds `lockstep certify` (rules 9). */
export function addCertifyCommand(program: Command): void {
  program
    .command('certify')
    .description('Try an integration against a sandbox that treats it badly')
    .argument('[command...]', 'Command that runs the integration; last, with its own options')
    .passThroughOptions()
    .option('--seed <n>', 'Repeat the faults of a run (default: a random one, printed)', parseSeed)
    .option('--port <n>', 'Port of the sandbox on this machine; 0: any free port', parsePort, 0)
    .option('--for <seconds>', 'Report after this many seconds', parseSeconds)
    .option('--json', 'Print the report as one JSON object')
    .addHelpText('after', HELP)
    .action(async (command, options) => {
      const { certify } = await import('../certify/certify.ts');
      await certify(command, options);
    });
}

const parseSeed = (value: string) => parseInteger(value, 0, 9_999_999, '.');
const parsePort = (value: string) => parseInteger(value, 0, 65_535, '.');
const parseSeconds = (value: string) => parseInteger(value, 1, 86_400, '.');
