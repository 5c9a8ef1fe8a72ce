import { Argument, type Command } from 'commander';
import { say } from '../output/terminal.ts';

const load = () => import('../output/completion.ts');

/** Adds `lockstep completion`, and the hidden command that its scripts call at each TAB. */
export function addCompletionCommands(program: Command): void {
  program
    .command('completion')
    .description('Print a shell completion script')
    .addArgument(new Argument('<shell>', 'Shell to complete in').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: 'bash' | 'zsh' | 'fish') => say((await load()).SCRIPTS[shell]));
  program
    .command('complete [words...]', { hidden: true })
    .action(async (words: string[]) => (await load()).findCandidates(program, words).forEach(say));
}
