import { once } from 'node:events';
import { connect } from 'node:net';
import { buildPath } from '@lockstep/contract';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { testStack } from '../harness/stack.ts';

/** An export whose client reads too slowly (rules 1.1). */

const { stack, api } = await testStack({ worker: false });
const { enterpriseGlobalId } = await api.newCustomer();
await sql`insert into customer (enterprise_id, channel_code, channel_customer_id, name, branch_name, address, is_default)
  select ${enterpriseGlobalId}, 'test', 'many ' || number, 'Customer', 'Branch', repeat('a', 500), false
  from generate_series(1, 30000) as number`.execute(stack.db);

it('is reset if the client does not read a page within a minute', async () => {
  const socket = connect(Number(new URL(stack.baseUrl).port), '127.0.0.1');
  const head = ['host: x', `authorization: Bearer ${api.token}`, 'accept: text/csv'];
  const target = `${buildPath('listCustomers', {})}?g_nonce=stopped-reading`;
  socket.write(`GET ${target} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
  await once(socket, 'data');
  socket.pause();
  const isReset = () => stack.logLines.join('').includes('the client reads too slowly');
  await expect.poll(isReset, { timeout: 120_000 }).toBe(true);
  const [error] = (await once(socket.resume(), 'error')) as [NodeJS.ErrnoException];
  expect(error.code).toBe('ECONNRESET');
});
