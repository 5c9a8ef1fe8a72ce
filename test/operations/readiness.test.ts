import { beforeEach, describe, expect, it } from 'vitest';
import { type Api, dataOf, refusalOf } from '../harness/api.ts';
import { fillDisk, setReadOnly } from '../harness/databases/no-writes.ts';
import { batchOf, deleteAsset } from '../harness/orders/orders.ts';
import { startAnotherApi } from '../harness/processes/another-api.ts';
import { testStack } from '../harness/stack.ts';

const { stack, api: caller } = await testStack({ worker: false });

it('a service is ready when all is there that it prepares, and not before (rules 9)', async () => {
  let meanwhile: unknown;
  const { api, close } = await startAnotherApi(stack, caller, {
    async prepare(baseUrl) {
      const answer = await fetch(`${baseUrl}/health/ready`);
      meanwhile = [answer.status, await answer.json()];
      return null;
    },
  });
  expect(meanwhile).toMatchObject([503, { status: 'unavailable', reason: expect.stringContaining('starting') }]);
  expect((await fetch(`${api.baseUrl}/health/ready`)).status).toBe(200);
  await close();
});

it('a service that cannot prepare what it has to ends', async () => {
  let baseUrl = '';
  const started = startAnotherApi(stack, caller, {
    async prepare(address) {
      baseUrl = address;
      throw new Error('demo.json cannot be written');
    },
  });
  await expect(started).rejects.toThrow('demo.json cannot be written');
  await expect(fetch(`${baseUrl}/health/live`)).rejects.toThrow('fetch failed');
});

describe('a database that takes no writes (rules 9)', async () => {
  const customer = await caller.newCustomer();
  /** A process of its own for each test, because it judges by what it wrote before. */
  let api: Api;
  const readiness = async () => {
    const answer = await fetch(`${api.baseUrl}/health/ready`);
    const body = (await answer.json()) as object;
    return { ...body, status: answer.status };
  };
  const order = () => api.submit(batchOf(deleteAsset(customer, ['1'])));
  const read = () => {
    const { channelCode, channelCustomerId } = customer;
    return api.ask('queryCustomers', { query: { channelCode, channelCustomerId, defaultCustomer: 'N' } });
  };
  const refused = async () => {
    expect(refusalOf(await order()).cause).toBe('service_unavailable');
    return await readiness();
  };
  const carriedOut = async () => {
    dataOf(await order());
    return true;
  };

  beforeEach(async () => {
    const started = await startAnotherApi(stack, caller);
    api = started.api;
    await expect.poll(readiness).toMatchObject({ status: 200 });
    return started.close;
  });

  it('makes the API unavailable while the disk is full, and calls that need no space do not change that', async () => {
    const makeRoom = await fillDisk(stack.db, 'batch');
    const full = { status: 503, database: 'up', reason: expect.stringContaining('disk is full') };
    await expect.poll(refused).toMatchObject(full);
    dataOf(await read());
    expect(await readiness()).toMatchObject(full);
    await makeRoom();
    dataOf(await order());
    expect(await readiness()).toMatchObject({ status: 200 });
  });

  it('makes the API unavailable while it is read-only', async () => {
    await setReadOnly(stack.db, true);
    const reason = expect.stringContaining('read-only');
    await expect.poll(refused).toMatchObject({ status: 503, database: 'up', reason });
    expect(refusalOf(await read()).cause).toBe('service_unavailable');
    await setReadOnly(stack.db, false);
    // Sessions that PostgreSQL has ended may fail once more.
    await expect.poll(() => carriedOut().catch(() => false)).toBe(true);
    expect(await readiness()).toMatchObject({ status: 200 });
  });
});
