import pg from 'pg';

/**
 * Opens a pool for the benchmark itself. It ignores connection errors, because dropping a database ends connections and
 * pg would otherwise end the process.
 */
export function openPool(connectionString: string, max: number): pg.Pool {
  const pool = new pg.Pool({ connectionString, max });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}
