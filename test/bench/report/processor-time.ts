import { readdirSync, readFileSync } from 'node:fs';

/** The kernel counts the time of processes in ticks of a hundredth of a second. Linux only. */
const MICROSECONDS_PER_TICK = 10_000;

interface Ticks {
  parentPid: number;
  own: number;
  /** Of its children that have ended. */
  ended: number;
}

/** Reads the line of a process, `undefined` when it has ended. */
function readTicks(pid: number | string): Ticks | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program, in brackets, may hold spaces: count from behind it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const at = (index: number) => Number(fields[index]);
    return { parentPid: at(1), own: at(11) + at(12), ended: at(13) + at(14) };
  } catch {
    return undefined;
  }
}

/** Microseconds of processor that processes have used so far, all their threads together. */
export function readProcessorTime(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + (readTicks(pid)?.own ?? 0), 0) * MICROSECONDS_PER_TICK;
}

/** Microseconds of processor that a server and all its children have used so far, those that have ended included. */
export function readFamilyTime(pid: number): number {
  const server = readTicks(pid);
  if (server === undefined) throw new Error(`The process ${pid} has ended`);
  let ticks = server.own + server.ended;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const child = readTicks(name);
    if (child?.parentPid === pid) ticks += child.own;
  }
  return ticks * MICROSECONDS_PER_TICK;
}

/** The most resident memory that a process has had so far, in MiB. */
export function readPeakMebibytes(pid: number): number {
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) / 1_024;
}
