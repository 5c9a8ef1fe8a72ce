import { readdirSync, readFileSync } from 'node:fs';

/** The kernel counts processor time in ticks of 10 ms. Linux only. */
const MICROSECONDS_PER_TICK = 10_000;

interface Ticks {
  parentPid: number;
  own: number;
  /** Ticks of children that have exited. */
  ended: number;
}

/** Reads the ticks of a process; `undefined` if it has exited. */
function readTicks(pid: number | string): Ticks | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The program's name, in brackets, may contain spaces, so parse the fields after it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const at = (index: number) => Number(fields[index]);
    return { parentPid: at(1), own: at(11) + at(12), ended: at(13) + at(14) };
  } catch {
    return undefined;
  }
}

/** Returns the processor time of processes so far, with all threads, in microseconds. */
export function readProcessorTime(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + (readTicks(pid)?.own ?? 0), 0) * MICROSECONDS_PER_TICK;
}

/** Returns the processor time of a server and all its children so far, in microseconds, including exited children. */
export function readFamilyTime(pid: number): number {
  const server = readTicks(pid);
  if (server === undefined) throw new Error(`Process ${pid} has exited`);
  let ticks = server.own + server.ended;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const child = readTicks(name);
    if (child?.parentPid === pid) ticks += child.own;
  }
  return ticks * MICROSECONDS_PER_TICK;
}

/** Returns the peak resident memory of a process in MiB. */
export function readPeakMebibytes(pid: number): number {
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) / 1_024;
}
