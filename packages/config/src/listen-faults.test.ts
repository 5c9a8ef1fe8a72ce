import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { explainListenFault } from './listen-faults.ts';

/** Returns Node.js's error if a process cannot listen there. */
async function faultOf(host: string, port: number): Promise<unknown> {
  const [error] = await once(createServer().listen(port, host), 'listening').then(
    () => [],
    (thrown: unknown) => [thrown],
  );
  return error;
}

it('names a port that is in use, and the variable to change', async () => {
  const other = createServer();
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const { port } = other.address() as AddressInfo;
  const error = await faultOf('127.0.0.1', port);
  other.close();
  const { message } = explainListenFault(error, '127.0.0.1', port, 'WORKER_PORT') as Error;
  expect(message).toContain(`127.0.0.1:${port}`);
  expect(message).toContain('WORKER_PORT');
});

it.each([
  ['203.0.113.1', '203.0.113.1'],
  ['nowhere.invalid', 'HOST is nowhere.invalid'],
])('names HOST=%s, on which no process can listen', async (host, named) => {
  const fault = explainListenFault(await faultOf(host, 0), host, 0) as Error;
  expect(fault.message).toContain(named);
  expect(fault.message).toContain('HOST');
});

it('returns any other error unchanged', () => {
  const error = new Error('another');
  expect(explainListenFault(error, '127.0.0.1', 8080)).toBe(error);
});
