import Fastify from 'fastify';
import { openPool } from '../load/open-pool.ts';
import type { PeerJob } from './peer.ts';
import { peers } from './peers.ts';

/** The HTTP server that the service is compared with. Each route does one thing only. */
const { PEER, DATABASE_URL = '', REDIS_URL = '', PORT } = process.env;
/** As many as the service's. */
const CONNECTIONS = 10;
const BODY_LIMIT_BYTES = 64 * 1024 ** 2;

const db = openPool(DATABASE_URL, CONNECTIONS);
const server = Fastify({ bodyLimit: BODY_LIMIT_BYTES });

server.get<{ Params: { key: string } }>('/rows/:key', async ({ params }) => {
  const text = 'select key, content from bare.keyed where key = $1';
  const { rows } = await db.query({ name: 'keyed', text, values: [params.key] });
  return rows[0];
});

if (PEER === undefined) {
  // Store the body unparsed, which is the least possible work.
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_, body, done) => done(null, body));
  server.post('/bodies', async ({ body }) => {
    await db.query({ name: 'body', text: 'insert into bare.body (content) values ($1)', values: [body] });
    return { code: 0 };
  });
} else {
  const producer = await peers[PEER]!.openProducer({ databaseUrl: DATABASE_URL, redisUrl: REDIS_URL });
  let added = 0;
  server.post<{ Body: { orderList: PeerJob['order'][] } }>('/orders', async ({ body }) => {
    const jobs = body.orderList.map((order) => ({ id: ++added, order }));
    await producer.add(jobs);
    return { code: 0, data: jobs.map(({ id }) => ({ licenseOrderId: id })) };
  });
}

await server.listen({ host: '127.0.0.1', port: Number(PORT) });
process.once('SIGTERM', () => process.exit(0));
process.stdout.write('ready\n');
