import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Customer } from '@lockstep/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../harness/api.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders.ts';
import { REPOSITORY, runJob } from '../harness/processes.ts';
import { type Stack, startStack } from '../harness/stack.ts';

/** Types that are generated from the description of a running service, and the client that docs/api.md shows. */
const FOLDER = join(REPOSITORY, 'test/generated-client');
const GENERATED = join(FOLDER, 'generated');
/** With the TypeScript of that folder. */
const TOOLS = { generate: 'openapi-typescript/bin/cli.js', compile: 'typescript/bin/tsc' };
const run = (tool: keyof typeof TOOLS, ...args: string[]) =>
  runJob([process.execPath, join(FOLDER, 'node_modules', TOOLS[tool]), ...args]);

let stack: Stack;
let api: Api;
let customer: Customer;

beforeAll(async () => {
  stack = await startStack();
  api = await stack.newApi();
  customer = await api.newCustomer();
  await mkdir(GENERATED, { recursive: true });
  const description = join(GENERATED, 'openapi.json');
  await writeFile(description, await (await fetch(`${stack.baseUrl}/openapi.json`)).text());
  expect(await run('generate', description, '--output', join(GENERATED, 'lockstep.ts'))).toMatchObject({ status: 0 });
  const [, example] = /^```ts\n(.*?)^```$/ms.exec(await readFile(join(REPOSITORY, 'docs/api.md'), 'utf8'))!;
  await writeFile(join(GENERATED, 'example.ts'), example!);
});
afterAll(() => stack.close());

/** Compiles a program beside the generated types and the example; answers with what the compiler says. */
async function compile(program = ''): Promise<string> {
  await writeFile(join(GENERATED, 'program.ts'), `import type { components } from './lockstep.ts';\n${program}`);
  const { stdout } = await run('compile', '--project', FOLDER);
  return stdout;
}

describe('the generated types', () => {
  it('compile, with the example of docs/api.md', async () => {
    expect(await compile('export type Failure = components["schemas"]["Failure"];')).toBe('');
  });

  it('lead to the data of an answer by its code only', async () => {
    const types = 'type Answer = components["schemas"]["BindCustomerAnswer"] | components["schemas"]["Failure"];';
    const told = 'export const idOf = (a: Answer) => (a.code === 0 ? a.data.customerId : a.cause);';
    expect(await compile(`${types}\n${told}`)).toBe('');
    expect(await compile(`${types}\nexport const idOf = (a: Answer) => a.data.customerId;`)).toContain('TS2339');
  });

  it('know the shape that each order type needs, and no other words', async () => {
    const order = (orderType: string, assets: string) =>
      `export const part: Pick<components['schemas']['${orderType}'], 'assets'> = { assets: [${assets}] };`;
    expect(await compile(order('DeleteAssetOrder', "{ assetNos: ['1'] }"))).toBe('');
    expect(await compile(order('DeleteProductOrder', "{ assetNos: ['1'] }"))).toContain('TS2741');
    expect(await compile("export const word: components['schemas']['Cause'] = 'unheard_of';")).toContain('TS2322');
  });

  it('are smaller than when every operation had a failure of its own: 119 kB without the words', async () => {
    const types = await readFile(join(GENERATED, 'lockstep.ts'), 'utf8');
    const declared = types.replace(/\/\*\*.*?\*\//gs, '');
    expect(Buffer.byteLength(declared)).toBeLessThan(85_000);
    expect(declared.split('"token_missing"').length - 1).toBe(1);
  });
});

describe('the example of docs/api.md', () => {
  const submit = async (batch: unknown) => {
    const example = await import(join(GENERATED, 'example.ts'));
    return await example.submit({ ...api.credentials, baseUrl: stack.baseUrl, token: api.token }, batch);
  };

  it('gives the ids of the orders', async () => {
    const accepted = await submit(batchOf(newBuy(customer, [newAssetNum()])));
    expect(accepted).toEqual([expect.objectContaining({ licenseOrderId: expect.stringMatching(/^\d+$/) })]);
  });

  it('throws what a call was refused for, though HTTP 299 counts as a success', async () => {
    await expect(submit(batchOf())).rejects.toThrow('field_invalid: orderList');
  });
});
