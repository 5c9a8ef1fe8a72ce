import type { Machine } from './machine.ts';
import { Standby } from './standby.ts';

/** How PostgreSQL replicates while something is measured. */
export interface Replication {
  name: string;
  hasStandby: boolean;
  /** What a commit waits for, when it waits for the standby: PostgreSQL's `synchronous_commit`. */
  waitsFor?: 'on' | 'remote_apply';
}

/** From none to one in which a commit waits until the standby shows what it wrote. */
export const REPLICATIONS: readonly Replication[] = [
  { name: 'primary alone', hasStandby: false },
  { name: 'a standby', hasStandby: true },
  { name: 'synchronous, on', hasStandby: true, waitsFor: 'on' },
  { name: 'synchronous, remote_apply', hasStandby: true, waitsFor: 'remote_apply' },
];

/** Runs work while PostgreSQL replicates so; afterwards it does not replicate. */
export async function withReplication<Result>(
  machine: Machine,
  { hasStandby, waitsFor }: Replication,
  work: (standby: Standby | undefined) => Promise<Result>,
): Promise<Result> {
  if (!hasStandby) return await work(undefined);
  const standby = await Standby.start(machine);
  try {
    if (waitsFor !== undefined) {
      await machine.administer(`alter system set synchronous_commit = ${waitsFor}`);
      await standby.makeSynchronous();
    }
    return await work(standby);
  } finally {
    await machine.administer('alter system reset synchronous_commit');
    await standby.remove();
  }
}
