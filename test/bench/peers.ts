import type { Peer } from './peer.ts';
import { bullmq } from './peer-bullmq.ts';
import { graphile } from './peer-graphile.ts';
import { pgboss } from './peer-pgboss.ts';

/** The queues that the service is compared with, by name. */
export const peers: Record<string, Peer> = { bullmq, graphile, pgboss };
