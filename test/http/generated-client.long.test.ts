import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { operations } from '@lockstep/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { REPOSITORY, runJob } from '../harness/processes/processes.ts';
import { testStack } from '../harness/stack.ts';

/** Types generated from the description of a running service, and the client in docs/integrating.md. */
const FOLDER = join(REPOSITORY, 'test/generated-client');
const GENERATED = join(FOLDER, 'generated');
/** Uses the tests' TypeScript, which is older than the one that checks the service. */
const TOOLS = { generate: 'openapi-typescript/bin/cli.js', compile: 'typescript/bin/tsc' };
const run = (tool: keyof typeof TOOLS, ...args: string[]) =>
  runJob([process.execPath, join(REPOSITORY, 'test/node_modules', TOOLS[tool]), ...args]);

const { stack, api } = await testStack();
const customer = await api.newCustomer();
beforeAll(async () => {
  await mkdir(GENERATED, { recursive: true });
  const description = join(GENERATED, 'openapi.json');
  await writeFile(description, await (await fetch(`${stack.baseUrl}/openapi.json`)).text());
  expect(await run('generate', description, '--output', join(GENERATED, 'lockstep.ts'))).toMatchObject({ status: 0 });
  const [, example] = /^```ts\n(.*?)^```$/ms.exec(await readFile(join(REPOSITORY, 'docs/integrating.md'), 'utf8'))!;
  await writeFile(join(GENERATED, 'example.ts'), example!);
});

/** What must compile, and what must not: the compiler also reports an expected error that doesn't occur. */
const PROGRAM = `
import type { components } from './lockstep.ts';

type Schemas = components['schemas'];
type Answer = Schemas['BindCustomerAnswer'] | Schemas['Failure'];

export const idOf = (answer: Answer) => (answer.code === 0 ? answer.data.customerId : answer.cause);
// @ts-expect-error An answer may be a failure, which has no data.
export const idOfAny = (answer: Answer) => answer.data.customerId;

export const revoked: Pick<Schemas['DeleteAssetOrder'], 'assets'> = { assets: [{ assetNos: ['1'] }] };
// @ts-expect-error A delete_product says which products.
export const productsOf: Pick<Schemas['DeleteProductOrder'], 'assets'> = { assets: [{ assetNos: ['1'] }] };
export const typeOf = (order: Schemas['Order']): 'new_buy' | 'delete_asset' | 'delete_product' => order.orderType;

export const known: Schemas['Cause'] = 'customer_not_found';
// @ts-expect-error No call is refused for this.
export const unknown: Schemas['Cause'] = 'unheard_of';
// @ts-expect-error An order that is pending has no time.
export const finished = (order: Schemas['OrderResult']): number => order.finishedTime;
`;

describe('the generated types', () => {
  it('compile with the example of docs/integrating.md, and distinguish successes, failures and orders', async () => {
    await writeFile(join(GENERATED, 'program.ts'), PROGRAM);
    expect(await run('compile', '--project', FOLDER)).toMatchObject({ status: 0, stdout: '' });
  });

  it('are smaller than with a failure type per operation: 3.4 kB each without the descriptions', async () => {
    const types = await readFile(join(GENERATED, 'lockstep.ts'), 'utf8');
    const declared = types.replace(/\/\*\*.*?\*\//gs, '');
    expect(Buffer.byteLength(declared)).toBeLessThan(3_400 * Object.keys(operations).length);
    expect(declared.split('"token_missing"').length - 1).toBe(1);
  });
});

describe('the example of docs/integrating.md', () => {
  const submit = async (batch: unknown) => {
    const example = await import(join(GENERATED, 'example.ts'));
    return await example.submit({ ...api.credentials, baseUrl: stack.baseUrl, token: api.token }, batch);
  };

  it('returns the IDs of the orders', async () => {
    const accepted = await submit(batchOf(newBuy(customer, [newAssetNum()])));
    expect(accepted).toEqual([expect.objectContaining({ licenseOrderId: expect.stringMatching(/^\d+$/) })]);
  });

  it('throws a refusal’s cause, although HTTP 299 counts as a success', async () => {
    await expect(submit(batchOf())).rejects.toThrow('field_invalid: orderList');
  });
});
