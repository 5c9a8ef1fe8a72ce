import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createDemoCustomers } from '@lockstep/customers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemberCenter } from '../harness/members/member-center.ts';
import { REPOSITORY, runJob } from '../harness/processes/processes.ts';
import { testStack } from '../harness/stack.ts';

/** The client library as it is published: its types, its size, and every example in its pages and comments. */
const { stack, api } = await testStack();
const PACKAGE = join(REPOSITORY, 'packages/client');
const DIST = join(PACKAGE, 'dist');
/** Where a consumer installs it: an empty folder. */
const FOLDER = mkdtempSync(join(tmpdir(), 'lockstep-client-'));
/** Where a consumer compiles: inside the repository only for its TypeScript and its packages. */
const WORK = join(REPOSITORY, 'node_modules/.cache/lockstep/client-consumer');

const runIn = (cwd: string, file: string, ...options: string[]) =>
  execFileSync(file, options, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const run = (...command: string[]) => runIn(REPOSITORY, 'npx', ...command);
/** Compiles a file of the consumer, to JavaScript beside it if that is asked for. */
const compile = (file: string, compilerOptions = {}) => {
  const config = { extends: '../../../../tsconfig.json', compilerOptions, include: [file], exclude: [] };
  writeFileSync(join(WORK, 'tsconfig.json'), JSON.stringify(config));
  return runJob(['npx', 'tsc', '-p', WORK]);
};
const EMIT = { noEmit: false, allowImportingTsExtensions: false, rootDir: '.', outDir: '.' };

beforeAll(() => {
  run('node', 'packages/client/build/build.ts');
  rmSync(WORK, { recursive: true, force: true });
  mkdirSync(WORK, { recursive: true });
  writeFileSync(join(WORK, 'package.json'), '{"type": "module"}');
  const tarball = runIn(FOLDER, 'npm', 'pack', '--silent', DIST).trim();
  runIn(FOLDER, 'npm', 'install', '--offline', '--silent', `./${tarball}`);
  symlinkSync(join(FOLDER, 'node_modules'), join(WORK, 'node_modules'));
});
afterAll(() => rmSync(FOLDER, { recursive: true }));

describe('the published package', () => {
  it('has an entry for the client and one for receivers, for ES modules, without dependencies', () => {
    expect(run('publint', '--strict', DIST)).toContain('All good!');
    run('attw', '--pack', DIST, '--profile', 'esm-only');
    const { dependencies, exports } = JSON.parse(readFileSync(join(DIST, 'package.json'), 'utf8'));
    expect([dependencies, Object.keys(exports)]).toEqual([undefined, ['.', './webhooks']]);
    const imported = (file: string) =>
      [...readFileSync(join(DIST, file), 'utf8').matchAll(/^(?:import|export) .*from '(.*)';$/gm)].map(
        ([, from]) => from,
      );
    expect(
      globSync('*.js', { cwd: DIST })
        .flatMap(imported)
        .filter((from) => !from!.startsWith('./')),
    ).toEqual([]);
    // A receiver loads no client.
    expect(imported('webhooks.js')).toEqual([]);
  });

  it('is less than 15 kB of code, compressed', () => {
    const code = globSync('*.js', { cwd: DIST }).map((file) => readFileSync(join(DIST, file), 'utf8'));
    expect(gzipSync(code.join('')).length).toBeLessThan(15_000);
  });
});

it('its types are those of the schemas', async () => {
  const { writeContract } = await import('../../packages/client/build/declarations.ts');
  // Consumers may meet a cause of a later release.
  const written = writeContract().replaceAll(' | (string & {})', '');
  writeFileSync(join(WORK, 'written.ts'), written.replace('./routes.ts', '@lockstep/contract/routes'));
  writeFileSync(
    join(WORK, 'held.ts'),
    `import type { Message as InferredMessage, Operations as Inferred } from '../../../../packages/client/src/contract.ts';
    import type { z } from 'zod';
    import type { Message, Operations as Written } from './written.ts';
    // Ids have a brand in the service.
    type Plain<Value> = Value extends string ? (Value extends z.$brand ? string : Value)
      : Value extends readonly (infer Item)[] ? Plain<Item>[]
      : Value extends object ? { [Name in keyof Value]: Plain<Value[Name]> } : Value;
    type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false;
    type FieldsOf<Value> = Value extends object ? keyof Value : never;
    type Ids = keyof Inferred;
    type Parts = 'params' | 'query' | 'body';
    type OtherData = { [Id in Ids]: Same<Written[Id]['data'], Plain<Inferred[Id]['data']>> extends true ? never : Id }[Ids];
    type OtherBodies = { [Id in Ids]: Written[Id]['request']['body'] extends Inferred[Id]['request']['body'] ? never : Id }[Ids];
    type OtherFields = { [Id in Ids]: { [Part in Parts]:
      Same<FieldsOf<Written[Id]['request'][Part]>, FieldsOf<Inferred[Id]['request'][Part]>> extends true ? never : \`\${Id}.\${Part}\`
    }[Parts] }[Ids];
    // Failed orders are as they were sent, with the type of a body.
    export const data: Record<Exclude<OtherData, 'getFailedOrders'>, never> = {};
    export const bodies: Record<OtherBodies, never> = {};
    export const fields: Record<OtherFields, never> = {};
    export const all: [Same<keyof Written, Ids>, Same<Message, Plain<InferredMessage>>] = [true, true];
    `,
  );
  expect(await compile('held.ts')).toMatchObject({ status: 0, stdout: '' });
});

/** The examples: each in a block of its own, so that it may name things as it likes. */
const examples = [
  ...globSync('src/*.ts', { cwd: PACKAGE, exclude: ['**/*.test.ts'] })
    .map((file) => readFileSync(join(PACKAGE, file), 'utf8'))
    .flatMap((source) => [...source.matchAll(/^ *\* ```ts\n([\s\S]*?)^ *\* ```$/gm)])
    .map(([, lines]) => lines!.replace(/^ *\* ?/gm, '')),
  ...[...readFileSync(join(PACKAGE, 'README.md'), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(
    ([, lines]) => lines!,
  ),
];

/** What the examples don't declare. */
const SURROUNDINGS = `
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Lockstep, LockstepError } from '@lockstep/client';
import { verify, WebhookError } from '@lockstep/client/webhooks';
const { baseUrl, appKey, appSecret, enterpriseGlobalId, account, password, url } = JSON.parse(process.env.SURROUNDINGS!);
const lockstep = new Lockstep({ baseUrl, appKey, appSecret, fetch });
const batch = { ...JSON.parse(readFileSync('examples/first-batch.json', 'utf8')), channelOrderId: randomUUID() };
const { channelCode, channelOrderId } = batch;
const assetNum: string = batch.orderList[0].assets[0].assetNos[0];
const body = JSON.stringify({ id: '7', type: 'webhook.test', data: {} });
const key = randomBytes(24);
const secret = 'whsec_' + key.toString('base64');
const seconds = String(Math.floor(Date.now() / 1_000));
const signature = createHmac('sha256', key).update('7.' + seconds + '.' + body).digest('base64');
const headers = { 'webhook-id': '7', 'webhook-timestamp': seconds, 'webhook-signature': 'v1,' + signature };
await lockstep.orders.submitAndWait(batch);
`;

it('every method and function has an example', () => {
  const lines = ['api', 'lockstep', 'webhooks'].flatMap((file) =>
    readFileSync(join(DIST, `${file}.d.ts`), 'utf8').split('\n'),
  );
  const isMember = (line: string) => /^ {4}(?!constructor)\w+[<(]|^export declare function /.test(line);
  const members = lines.flatMap((line, index) => (isMember(line) ? [{ line, index }] : []));
  expect(members.length).toBeGreaterThan(11);
  const startOf = (index: number) => lines.findLastIndex((line, place) => place < index && line.trim() === '/**');
  const without = members.filter(({ index }) => !lines.slice(startOf(index), index).join('\n').includes('@example'));
  expect(without).toEqual([]);
});

it('every example in its comments and its README compiles and runs', async () => {
  await createDemoCustomers(stack.db);
  const { enterpriseId: enterpriseGlobalId, account, password } = await MemberCenter.open(stack, api);
  const { appKey, appSecret } = api.credentials;
  const surroundings = { baseUrl: stack.baseUrl, appKey, appSecret, enterpriseGlobalId, account, password };
  const blocks = examples.map((example) => `{\nlet lastId: string | undefined;\n${example}}\n`).join('');
  writeFileSync(join(WORK, 'examples.ts'), `${SURROUNDINGS}${blocks}console.log('all ran');\n`);
  expect(await compile('examples.ts', EMIT)).toMatchObject({ status: 0, stdout: '' });
  const variables = { SURROUNDINGS: JSON.stringify({ ...surroundings, url: 'https://shop.example/hooks' }) };
  const { status, stdout, stderr } = await runJob([process.execPath, join(WORK, 'examples.js')], variables);
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.any(String) });
  expect(stdout).toMatch(/all ran\n$/);
});

it("its README's first program gets an outcome", async () => {
  const [, program] = /^```js\n([\s\S]*?)^```$/m.exec(readFileSync(join(PACKAGE, 'README.md'), 'utf8'))!;
  mkdirSync(join(FOLDER, '.lockstep'));
  symlinkSync(join(REPOSITORY, 'examples'), join(FOLDER, 'examples'));
  const { appKey, appSecret } = api.credentials;
  writeFileSync(join(FOLDER, '.lockstep/demo.json'), JSON.stringify({ baseUrl: stack.baseUrl, appKey, appSecret }));
  writeFileSync(join(FOLDER, 'first.mjs'), program!);
  const { stdout } = await runJob(['sh', '-c', `cd ${FOLDER} && exec ${process.execPath} first.mjs .`]);
  expect(stdout).toBe('1 succeeded null\n2 succeeded null\n');
});
