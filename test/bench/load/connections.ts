import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';

const SAMPLE_EVERY_MS = 20;

/**
 * Samples how many PostgreSQL sessions each process has. The returned function stops that and returns the maximum of
 * each process by pid.
 */
export function sampleConnections(db: pg.Pool, pids: readonly number[]): () => Promise<Map<number, number>> {
  const most = new Map(pids.map((pid) => [pid, 0]));
  let isOver = false;
  const sampling = (async () => {
    while (!isOver) {
      const { rows } = await db.query<{ port: number }>({
        name: 'sessions',
        text: 'select client_port as port from pg_stat_activity where client_port is not null',
      });
      for (const pid of pids) {
        const own = readLocalPorts(pid);
        const count = rows.filter(({ port }) => own.has(port)).length;
        most.set(pid, Math.max(most.get(pid)!, count));
      }
      await delay(SAMPLE_EVERY_MS);
    }
  })();
  return async () => {
    isOver = true;
    await sampling;
    return most;
  };
}

/** Returns the local TCP ports of a process. Linux only. */
function readLocalPorts(pid: number): Set<number> {
  const directory = `/proc/${pid}/fd`;
  const sockets = new Set<string>();
  for (const descriptor of readdirSync(directory)) {
    const [, inode] = /^socket:\[(\d+)\]$/.exec(readLink(`${directory}/${descriptor}`)) ?? [];
    if (inode !== undefined) sockets.add(inode);
  }
  const ports = new Set<number>();
  for (const file of ['tcp', 'tcp6']) {
    for (const line of readFileSync(`/proc/${pid}/net/${file}`, 'latin1').trim().split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/);
      if (sockets.has(fields[9]!)) ports.add(Number.parseInt(fields[1]!.split(':')[1]!, 16));
    }
  }
  return ports;
}

/** Returns '' if the descriptor has been closed since it was listed. */
function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
