import type { PostgresServer } from '../harness/postgres-cluster.ts';

/** The DATABASE_URL that names all of these servers. */
export function severalHosts(...servers: readonly [PostgresServer, ...PostgresServer[]]): string {
  const url = new URL(servers[0].databaseUrl);
  return url.href.replace(url.host, servers.map(({ port }) => `${url.hostname}:${port}`).join(','));
}
