import { Argument, type Command } from 'commander';
import { say } from '../output/terminal.ts';

const load = () => import('../output/completion.ts');

/** Adds `lockstep completion`, and what its scripts ask at each TAB. */
export function addCompletionCommands(program: Command): void {
  program
    .command('completion')
    .description('print the script that has a shell complete this command')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: 'bash' | 'zsh' | 'fish') => say((await load()).SCRIPTS[shell]));
  program
    .command('complete [words...]', { hidden: true })
    .action(async (words: string[]) => (await load()).findCandidates(program, words).forEach(say));
}
