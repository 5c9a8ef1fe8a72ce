import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { buildProgram } from '../program.ts';
import { readOptions } from './open-client.ts';

const DATA_DIR = mkdtempSync(join(tmpdir(), 'open-client-'));
afterAll(() => rmSync(DATA_DIR, { recursive: true }));

const FIELDS = [
  ...['enterpriseGlobalId', 'customerId', 'adminAccount', 'adminPassword', 'operatorName', 'operatorPassword'],
];
const DEMO = { ...Object.fromEntries(FIELDS.map((name) => [name, 'x'])), appKey: 'demo', appSecret: 's' };
writeFileSync(join(DATA_DIR, 'demo.json'), JSON.stringify({ baseUrl: 'http://demo.example', ...DEMO }), {
  mode: 0o600,
});
const secretFile = join(DATA_DIR, 'secret');
writeFileSync(secretFile, ' from-file\r\n');

const VARIABLES = {
  LOCKSTEP_BASE_URL: 'https://given.example',
  LOCKSTEP_APP_KEY: 'given',
  LOCKSTEP_APP_SECRET: 'secret',
};
type Variable = keyof typeof VARIABLES;
const NAMES = Object.keys(VARIABLES) as Variable[];

/** Returns the address and the key that a command with these options and variables uses. */
async function open(options: string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const command = buildProgram({}).commands.find((each) => each.name() === 'events')!;
  command.parseOptions(options);
  const { appKey, baseUrl } = await readOptions(command, { DATA_DIR, ...env }, false);
  return `${appKey} ${baseUrl}`;
}

describe('the address, the key and the secret come', () => {
  it.each<[what: string, options: string[], env: NodeJS.ProcessEnv, used: string]>([
    ['from demo.json without any', [], {}, 'demo http://demo.example'],
    ['from demo.json if variables are blank', [], { LOCKSTEP_APP_KEY: ' ' }, 'demo http://demo.example'],
    ['from variables', [], VARIABLES, 'given https://given.example'],
    ['from options first', ['--app-key', 'option'], VARIABLES, 'option https://given.example'],
    [
      'from options',
      ['--app-key', 'option', '--base-url', 'http://option.example', '--app-secret-file', secretFile],
      {},
      'option http://option.example',
    ],
  ])('%s', async (_, options, env, used) => {
    expect(await open(options, env)).toBe(used);
  });

  it.each(NAMES.flatMap((name) => [[name], NAMES.filter((other) => other !== name)]))(
    'from one source: with %s %s alone, the command names the others',
    async (...given) => {
      const fault = await open([], Object.fromEntries(given.map((name) => [name, VARIABLES[name]]))).catch(String);
      expect(NAMES.filter((name) => fault.includes(name))).toEqual(NAMES.filter((name) => !given.includes(name)));
    },
  );
});

describe('a command of the member center', () => {
  const USER = { LOCKSTEP_ENTERPRISE: '1001', LOCKSTEP_ACCOUNT: 'admin@acme', LOCKSTEP_PASSWORD: 'correct horse' };
  const openForUser = (env: NodeJS.ProcessEnv) => {
    const member = buildProgram({}).commands.find((each) => each.name() === 'member')!;
    const seats = member.commands.find((each) => each.name() === 'seats')!;
    return readOptions(seats, { DATA_DIR, ...env }, true);
  };

  it('takes the administrator from where it takes the application', async () => {
    expect((await openForUser({})).user).toEqual({ enterpriseGlobalId: 'x', account: 'x', password: 'x' });
    const { appKey, user } = await openForUser({ ...VARIABLES, ...USER });
    const [enterpriseGlobalId, account, password] = Object.values(USER);
    expect([appKey, user]).toEqual(['given', { enterpriseGlobalId, account, password }]);
  });

  it.each([VARIABLES, USER])('names what is missing if it has only %j', async (env) => {
    const missing = Object.keys({ ...VARIABLES, ...USER }).filter((name) => !(name in env));
    const fault = await openForUser(env).catch(String);
    expect(missing.filter((name) => !String(fault).includes(name))).toEqual([]);
  });
});

it.each(['', ' ', '{"appSecret": "a"}'])('a secret file with %j is refused', async (content) => {
  writeFileSync(`${secretFile}-wrong`, content);
  const refused = open(['--app-secret-file', `${secretFile}-wrong`], VARIABLES);
  await expect(refused).rejects.toMatchObject({ kind: 'usage', message: expect.stringContaining('secret-wrong') });
});
