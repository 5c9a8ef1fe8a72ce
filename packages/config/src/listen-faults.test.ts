import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { explainListenFault } from './listen-faults.ts';

/** The error of Node.js when a process listens there already. */
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
  const message = `127.0.0.1:${port} is in use. Set WORKER_PORT to another port.`;
  expect(explainListenFault(error, '127.0.0.1', port, 'WORKER_PORT')).toEqual(new Error(message));
});

it.each([
  ['203.0.113.1', '203.0.113.1 is not an address of this machine. Set HOST to one of them, or to 0.0.0.0 for all.'],
  ['nowhere.invalid', /^HOST is nowhere\.invalid, a name that .* Set it to an address, such as 127\.0\.0\.1\.$/],
])('HOST=%s, which nobody can listen on, is named', async (host, message) => {
  const fault = explainListenFault(await faultOf(host, 0), host, 0) as Error;
  if (typeof message === 'string') expect(fault.message).toBe(message);
  else expect(fault.message).toMatch(message);
});

it('returns any other error unchanged', () => {
  const error = new Error('another');
  expect(explainListenFault(error, '127.0.0.1', 8080)).toBe(error);
});
