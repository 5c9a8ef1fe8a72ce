import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { API_COMMANDS, DATABASE_COMMANDS } from './commands/commands.ts';
import { buildProgram } from './program.ts';

const program = buildProgram({});

/** Lists a command and all commands in it. */
const listAll = (command: Command): Command[] => [command, ...command.commands.flatMap(listAll)];
const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
const ALL = listAll(program).map((command): [path: string, command: Command] => [pathOf(command), command]);
const isIn = (heading: string) => ALL.filter(([, command]) => command.helpGroup() === heading);

it('the help says which commands call the API, as one application', () => {
  const calling = ALL.filter(([, { options }]) => options.some(({ long }) => long === '--base-url'));
  const actions = isIn(API_COMMANDS).filter(([, command]) => command.commands.length === 0);
  expect(actions).toEqual(calling);
});

it('the help says which commands work on the database, for all applications', () => {
  const groups = isIn(DATABASE_COMMANDS).filter(([, { parent }]) => parent === program);
  const names = groups.map(([, command]) => command.name()).toSorted();
  expect(names).toEqual(['app', 'channel', 'database', 'enterprise', 'member', 'operator']);
  const others = groups.flatMap(([, command]) => command.commands).filter((each) => each.helpGroup() === API_COMMANDS);
  expect(others).toEqual([]);
});

it.each(ALL)('the help of %s fits a terminal of 80 columns', (_, command) => {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
});
