import { Argument, type Command, type Option } from 'commander';
import { say } from './output/terminal.ts';

/**
 * The completion script of each shell. It asks `lockstep complete` for candidates, and completes file names if there
 * are none. It passes on what was typed without evaluating it.
 */
const SCRIPTS = {
  bash: `_lockstep() {
  local IFS=$'\\n'
  COMPREPLY=($(lockstep complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null | cut -f 1))
}
complete -o default -F _lockstep lockstep`,
  zsh: `#compdef lockstep
_lockstep() {
  local -a found
  found=("\${(@f)$(lockstep complete -- "\${(@)words[2,CURRENT]}" 2> /dev/null)}")
  [[ -n $found[1] ]] || { _files; return }
  found=("\${(@)found//:/\\\\:}")
  found=("\${(@)found/$'\\t'/:}")
  _describe lockstep found
}
compdef _lockstep lockstep`,
  fish: `function __lockstep_complete
  set --local words (commandline --tokenize --cut-at-cursor --current-process)
  set --local current (commandline --cut-at-cursor --current-token)
  set --local found (lockstep complete -- $words[2..-1] "$current" 2> /dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$current"
  end
end
complete --command lockstep --no-files --arguments '(__lockstep_complete)'`,
};

/** Adds `lockstep completion`, and the hidden command that its scripts call at each TAB. */
export function addCompletionCommands(program: Command): void {
  program
    .command('completion')
    .description('Print a shell completion script')
    .addArgument(new Argument('<shell>', 'Shell to complete in').choices(Object.keys(SCRIPTS)))
    .action((shell: keyof typeof SCRIPTS) => say(SCRIPTS[shell]));
  program
    .command('complete [words...]', { hidden: true })
    .action((words: string[]) => findCandidates(program, words).forEach(say));
}

/**
 * Finds the candidates for the last word.
 * @param words the words after the name of the command; the last one may be incomplete or empty
 * @returns lines of a word, or of a word, a tab and its description
 */
export function findCandidates(program: Command, words: readonly string[]): string[] {
  const current = words.at(-1) ?? '';
  const { command, option, operands } = readWords(program, words.slice(0, -1));
  const help = command.createHelp();

  let found: string[];
  if (current.startsWith('-')) {
    found = help.visibleOptions(command).map(({ long, description }) => `${long}\t${description}`);
  } else if (option !== undefined) {
    found = option.argChoices ?? [];
  } else {
    const commands = operands === 0 ? help.visibleCommands(command) : [];
    const choices = command.registeredArguments[operands]?.argChoices ?? [];
    found = [...commands.map((each) => `${each.name()}\t${each.description()}`), ...choices];
  }
  return found.filter((line) => line.startsWith(current));
}

/** Finds the command in some words, the option whose value comes next, and the number of operands so far. */
function readWords(program: Command, words: readonly string[]) {
  let command = program;
  let option: Option | undefined;
  let operands = 0;
  for (const word of words) {
    if (word.startsWith('-')) {
      option = command.options.find(({ long, short }) => word === long || word === short);
      if (option?.isBoolean()) option = undefined;
    } else if (option !== undefined) {
      if (!option.variadic) option = undefined;
    } else {
      const inner = operands === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (inner !== undefined) command = inner;
      else if (word !== 'help') operands += 1;
    }
  }
  return { command, option, operands };
}
