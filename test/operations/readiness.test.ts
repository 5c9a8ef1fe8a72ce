import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAnotherApi } from '../harness/another-api.ts';
import type { Api } from '../harness/api.ts';
import { type Stack, startStack } from '../harness/stack.ts';

let stack: Stack;
let caller: Api;

beforeAll(async () => {
  stack = await startStack({ worker: false });
  caller = await stack.newApi();
});
afterAll(() => stack.close());

it('a service is ready when all is there that it prepares, and not before (rules 9)', async () => {
  let meanwhile: unknown;
  const { api, close } = await startAnotherApi(stack, caller, {
    async prepare(baseUrl) {
      const answer = await fetch(`${baseUrl}/health/ready`);
      meanwhile = [answer.status, await answer.json()];
      return { demo: null };
    },
  });
  expect(meanwhile).toMatchObject([503, { status: 'unavailable', reason: 'the service is still starting' }]);
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
