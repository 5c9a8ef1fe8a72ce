import type { Command } from 'commander';
import { expect, it, vi } from 'vitest';
import { API_COMMANDS, DATABASE_COMMANDS } from './commands/commands.ts';
import { statusOf } from './output/status.ts';
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
  expect(names).toEqual(['app', 'channel', 'database', 'enterprise', 'operator']);
  const others = groups.flatMap(([, command]) => command.commands).filter((each) => each.helpGroup() === API_COMMANDS);
  expect(others).toEqual([]);
});

it.each(ALL)('the help of %s fits a terminal of 80 columns', (_, command) => {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

it.each<[line: string, message: RegExp]>([
  ['batch list --limit 0', /--limit/],
  ['batch list --limit 5 --all', /--all.*--limit/],
  ['batch list --state failed', /--state.*accepted, processing, completed/],
  ['batch list --accepted-from soon', /--accepted-from/],
  ['batch show test', /'batch'/],
  ['batch show "" X', /'channel'/],
  ['order list --asset ""', /--asset/],
  ['order list --customer me', /--customer/],
  ['order list --type buy', /--type.*new_buy, delete_asset, delete_product/],
  ['order list --cause toString', /--cause/],
  ['order show me', /'licenseOrderId'/],
  ['order retry', /'licenseOrderId'/],
  ['order retry 1 1x', /1x/],
  ['order fail 1', /--reason/],
  ['order fail 1 --reason ""', /--reason/],
  ['order fail --reason x', /'licenseOrderId'/],
  ['order fail 1 --reason x --later drop', /--later/],
  ['events --after x', /--after/],
  ['events --limit 0', /--limit/],
  ['events --all --limit 3', /--all.*--limit/],
  ['webhook create', /'url'/],
  ['webhook show me', /'webhookId'/],
  ['webhook listen', /--forward/],
  ['webhook listen --forward localhost:3000/hook', /--forward.*http:/],
  ['webhook listen --forward ftp://localhost/hook', /--forward.*http:/],
  ['webhook listen --forward http://me:secret@localhost/hook', /--forward.*http:/],
  ['webhook listen --forward http://localhost/hook --after x', /--after/],
  ['webhook replay 999 --after x', /--after/],
  ['channel show ""', /'code'/],
  ['channel pause "" --reason r', /'code'/],
  ['channel pause test', /--reason/],
  ['channel resume ""', /'code'/],
  ['app create --scope auth_order', /--name/],
  ['app create --name X', /--scope/],
  ['app create --name A --scope all', /--scope/],
  ['app create --name A --scope auth_order --channel web shop', /shop/],
  ['app rotate-secret key --overlap-hours -1', /--overlap-hours/],
  ['operator create kim --role owner', /--role/],
  ['certify --seed x', /--seed/],
  ['certify --port 65536', /--port/],
  ['certify --for 0', /--for/],
  ['toString', /toString/],
])('%s is refused in one line, with the status of a usage error', expectRefused);

it('order retry of more than 2,000 IDs is refused', () => expectRefused(`order retry${' 1'.repeat(2_001)}`, /2.?000/));

async function expectRefused(line: string, message: RegExp): Promise<void> {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const words = line.split(' ').map((word) => word.replace('""', ''));
  const fault = await buildProgram({})
    .parseAsync(words, { from: 'user' })
    .catch((error: unknown) => error);
  const said = write.mock.calls.join('');
  write.mockRestore();
  expect(statusOf(fault)).toBe(64);
  expect(said).toMatch(/^lockstep: [^\n]+\n$/);
  expect(said).toMatch(message);
}
