import pg from 'pg';

/**
 * Opens a pool for the benchmark itself. Its connections may end with their database: pg would end the process for it.
 */
export function openPool(connectionString: string, max: number): pg.Pool {
  const pool = new pg.Pool({ connectionString, max });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}
