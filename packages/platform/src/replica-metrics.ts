import { Counter, Gauge, type Registry } from 'prom-client';
import type { MarkedPrimary } from './replica-marks.ts';
import type { Sighting } from './standby-rules.ts';

/** The metrics of reads from standbys. */
export interface ReplicaMetrics {
  reads: Counter<'served_by' | 'reason'>;
  /** Takes down how a standby is. `primary`: null if that does not answer; then no lag is known. */
  note(standby: string, isUsable: boolean, primary: MarkedPrimary | null, seen: Sighting | null): void;
}

/** Registers the metrics of reads from standbys. Call it once a process. */
export function registerReplicaMetrics(registry: Registry): ReplicaMetrics {
  const registers = [registry];
  const labelNames = ['standby'] as const;
  const usable = new Gauge({
    name: 'lockstep_replica_usable',
    help: 'Whether reads go to this standby',
    labelNames,
    registers,
  });
  const lagBytes = new Gauge({
    name: 'lockstep_replica_lag_bytes',
    help: 'How much of the log of the primary a standby does not show yet',
    labelNames,
    registers,
  });
  const lagSeconds = new Gauge({
    name: 'lockstep_replica_lag_seconds',
    help: 'How long ago, by the clock of the primary, the newest transaction that a standby shows was committed',
    labelNames,
    registers,
  });
  const reads = new Counter({
    name: 'lockstep_replica_reads_total',
    help: 'Reads that may be served by a standby, by who served them, and why the primary did',
    labelNames: ['served_by', 'reason'],
    registers,
  });
  return {
    reads,
    note(standby, isUsable, primary, seen) {
      usable.set({ standby }, isUsable ? 1 : 0);
      // What is not known has no value, rather than the last one.
      lagBytes.remove({ standby });
      lagSeconds.remove({ standby });
      if (primary === null || seen === null) return;
      lagBytes.set({ standby }, Math.max(0, primary.position.bytes - seen.replayedBytes));
      if (seen.replayedTimeMs === null) return;
      lagSeconds.set({ standby }, Math.max(0, (primary.timeMs - seen.replayedTimeMs) / 1_000));
    },
  };
}
