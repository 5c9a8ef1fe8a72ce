import { bullmq } from './bullmq.ts';
import { graphile } from './graphile.ts';
import type { Peer } from './peer.ts';
import { pgboss } from './pgboss.ts';

/** The queues that the service is compared with, by name. */
export const peers: Record<string, Peer> = { bullmq, graphile, pgboss };
