import pg from 'pg';
import { sessionName } from './session-name.ts';

const CONNECT_TIMEOUT_MS = 2_000;
const NOTE_TIMEOUT_MS = 10_000;

/**
 * Has a server note on which timeline it is, and move all ids on if it is a new one: a standby that was promoted may lack the
 * last of what its primary has given out. A database without the tables of the service has given out nothing.
 * @returns whether ids were moved on now
 * @throws what PostgreSQL or the connection threw; then nothing may be written there yet
 */
export async function notePromotion(url: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    application_name: sessionName('lockstep-finder'),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: NOTE_TIMEOUT_MS,
    statement_timeout: NOTE_TIMEOUT_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ known: boolean }>(
      `select to_regprocedure('public.note_promotion()') is not null as known`,
    );
    if (!rows[0]!.known) return false;
    await client.query('begin');
    // No standby needs to have it: if this server is lost as well, the next one is promoted, too.
    await client.query('set local synchronous_commit = local');
    const noted = await client.query<{ moved: boolean }>('select public.note_promotion() as moved');
    await client.query('commit');
    return noted.rows[0]!.moved;
  } finally {
    client.end().catch(() => {});
  }
}
