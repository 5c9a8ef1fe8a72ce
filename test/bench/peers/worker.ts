import { columnNames, LEDGER_ROWS } from '../load/ledger-rows.ts';
import { openPool } from '../load/open-pool.ts';
import { type PeerJob, WORKER_CONNECTIONS } from './peer.ts';
import { peers } from './peers.ts';

/** The worker process of a peer. Each job is a transaction that inserts the rows of its order. */
const { PEER = '', DATABASE_URL = '', REDIS_URL = '' } = process.env;
const db = openPool(DATABASE_URL, WORKER_CONNECTIONS);
const inserts = LEDGER_ROWS.map(({ table, columns }) => ({
  name: `peer_${table}`,
  text: `insert into bare.${table} (${columnNames(columns)}) values (${columns.map((_, index) => `$${index + 1}`).join(', ')})`,
  columns,
}));

async function carryOut({ id, order }: PeerJob): Promise<void> {
  const assetNum = order.assets[0]!.assetNos[0]!;
  const client = await db.connect();
  try {
    await client.query('begin');
    for (const { name, text, columns } of inserts) {
      const values = columns.map(([column, , value]) => (column === 'asset_num' ? assetNum : value(id)));
      await client.query({ name, text, values });
    }
    await client.query('commit');
  } finally {
    client.release();
  }
}

await peers[PEER]!.startWorker({ databaseUrl: DATABASE_URL, redisUrl: REDIS_URL }, carryOut);
process.once('SIGTERM', () => process.exit(0));
process.stdout.write('ready\n');
