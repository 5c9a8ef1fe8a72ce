import Fastify from 'fastify';
import pg from 'pg';
import { type QueueName, queues, readOrders } from './queues.ts';

/** The HTTP server that the service is compared with, or the worker. */
const { QUEUE = '', ROLE, DATABASE_URL, PORT } = process.env;
const queue = queues[QUEUE as QueueName];

async function serve(): Promise<void> {
  const server = Fastify({ bodyLimit: 64 * 1024 ** 2 });
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_, body, done) => done(null, body));
  const add = await queue.open();
  let added = 0;
  server.post<{ Body: string }>('/orders', async ({ body }) => {
    const orders = readOrders(body, added + 1);
    added += orders.length;
    await add(orders, body);
    return { code: 0, data: orders.map(({ id }) => ({ licenseOrderId: id })) };
  });
  const db = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
  server.get<{ Params: { id: string } }>('/calls/:id', async ({ params }) => {
    const text = 'select first_id, content from bare.call where first_id = $1';
    const { rows } = await db.query({ name: 'read', text, values: [params.id] });
    return rows[0];
  });
  await server.listen({ host: '127.0.0.1', port: Number(PORT) });
}

process.once('SIGTERM', () => process.exit(0));
if (ROLE === 'server') await serve();
process.stdout.write('ready\n');
if (ROLE === 'worker') await queue.work();
