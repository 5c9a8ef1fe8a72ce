import { describe, expect, it } from 'vitest';
import { ReplayWaits } from './replay-waits.ts';
import type { Sighting } from './standby-rules.ts';

const at = (bytes: number) => ({ timeline: '1', bytes });

/** A standby that replays when the test says so. */
function newStandby() {
  const asked: number[] = [];
  const failures: string[] = [];
  const standby = { replayedBytes: 0, receivedBytes: 0, isGone: false, completed: 0 };
  const waits = new ReplayWaits({
    async ask(): Promise<Sighting> {
      if (standby.isGone) throw new Error('gone');
      asked.push(standby.replayedBytes);
      const { replayedBytes, receivedBytes } = standby;
      const mark = { timeline: '1', writtenMs: performance.now() };
      return { isStandby: true, replayedBytes, receivedBytes, replayedTimeMs: null, mark };
    },
    async completeRecord() {
      standby.completed++;
      standby.replayedBytes = standby.receivedBytes;
    },
    onFailure: () => failures.push('failed'),
  });
  return { standby, waits, asked, failures };
}

const LONG_MS = 30_000;

describe('ReplayWaits', () => {
  it('lets each go on when the standby is where it has to be', async () => {
    const { standby, waits, asked } = newStandby();
    const settled: string[] = [];
    const near = waits.wait(at(10), LONG_MS).then(() => settled.push('near'));
    const far = waits.wait(at(20), LONG_MS).then(() => settled.push('far'));
    standby.replayedBytes = 15;
    await near;
    expect(settled).toEqual(['near']);
    standby.replayedBytes = 20;
    await far;
    expect(asked.length).toBeGreaterThan(1);
  });

  it('asks once for all who wait', async () => {
    const { standby, waits, asked } = newStandby();
    standby.replayedBytes = 10;
    expect(await Promise.all(Array.from({ length: 50 }, () => waits.wait(at(10), LONG_MS)))).toEqual(
      Array.from({ length: 50 }, () => true),
    );
    expect(asked.length).toBeLessThan(5);
  });

  it('lets nobody wait any more for one that was waited for in vain, until it has come there', async () => {
    const { standby, waits } = newStandby();
    expect(await waits.wait(at(10), 1)).toBe(false);
    expect(await waits.wait(at(11), LONG_MS)).toBe(false);
    standby.replayedBytes = 10;
    await expect
      .poll(() => {
        const waiting = waits.wait(at(12), LONG_MS);
        standby.replayedBytes = 12;
        return waiting;
      })
      .toBe(true);
  });

  it('has the primary complete a record of which the standby has the first half', async () => {
    const { standby, waits } = newStandby();
    standby.replayedBytes = 8_100;
    standby.receivedBytes = 8_192;
    expect(await waits.wait(at(8_192), LONG_MS)).toBe(true);
    expect(standby.completed).toBe(1);
  });

  it('sends everybody away when the standby cannot be asked', async () => {
    const { standby, waits, failures } = newStandby();
    standby.isGone = true;
    expect(await Promise.all([waits.wait(at(1), LONG_MS), waits.wait(at(2), LONG_MS)])).toEqual([false, false]);
    expect(failures).toEqual(['failed']);
  });

  it('sends everybody away when it is closed, and lets nobody wait then', async () => {
    const { waits } = newStandby();
    const waiting = waits.wait(at(1), LONG_MS);
    waits.close();
    expect(await waiting).toBe(false);
    expect(await waits.wait(at(1), LONG_MS)).toBe(false);
  });
});
