import type pg from 'pg';

/**
 * Takes a connection of a pool, or throws what `bounded` throws when it comes too late. One that still comes then is given
 * back at once.
 */
export async function takeConnection(
  pool: pg.Pool,
  bounded: (connecting: Promise<pg.PoolClient>) => Promise<pg.PoolClient>,
): Promise<pg.PoolClient> {
  const connecting = pool.connect();
  try {
    return await bounded(connecting);
  } catch (error) {
    connecting.then(
      (client) => client.release(),
      () => {},
    );
    throw error;
  }
}
