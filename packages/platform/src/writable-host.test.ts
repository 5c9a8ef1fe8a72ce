import { describe, expect, it } from 'vitest';
import { chooseHost, type Server, SILENT_COUNTS_AS_GONE_MS, type Sighting } from './writable-host.ts';

const NAMES = ['one:5432', 'two:5432'];
const server = (timeline: number, startedTime = '10:00', identifier: string | null = '7'): Server => ({
  identifier,
  timeline,
  startedTime,
});
const writable = (timeline: number, startedTime?: string, identifier?: string | null): Sighting => ({
  state: 'writable',
  server: server(timeline, startedTime, identifier),
});
const STANDBY: Sighting = { state: 'standby', server: server(0, '09:00') };
const AWAY: Sighting = { state: 'away', why: 'is away (ECONNREFUSED)' };
const CLOSED: Sighting = { state: 'closed', why: 'answers: password authentication failed' };
const JUST_SILENT: Sighting = {
  state: 'silent',
  why: 'does not answer (timeout)',
  forMs: SILENT_COUNTS_AS_GONE_MS - 1,
};
const LONG_SILENT: Sighting = { ...JUST_SILENT, forMs: SILENT_COUNTS_AS_GONE_MS };
/** This process has written to the first host, on timeline 1. */
const WRITTEN = { host: 0, server: server(1) };

const choose = (sightings: Sighting[], written?: typeof WRITTEN) => chooseHost(NAMES, sightings, written);

describe('a process that has not written yet', () => {
  it.each([
    ['the other one is a standby', [STANDBY, writable(1)]],
    ['nothing runs at the other one', [AWAY, writable(1)]],
    ['the other one has been silent for long', [LONG_SILENT, writable(1)]],
  ])('writes to the only writable host if %s', (_, sightings) => {
    expect(choose(sightings)).toMatchObject({ host: 1 });
  });

  it.each([
    ['might be hung for a moment', JUST_SILENT, 'it does not answer', true],
    ['lets nobody look', CLOSED, 'it answers: password authentication failed', undefined],
  ])('waits if the other one %s, because that might be written to', (_, other, why, endsSoon) => {
    const choice = choose([other, writable(1)]);
    expect(choice).toMatchObject({ host: null, endsAll: false, isSplit: false });
    expect((choice as { endsSoon?: true }).endsSoon).toBe(endsSoon);
    expect(choice).toHaveProperty('reason', expect.stringContaining(why));
  });

  it('waits while none is writable, and says what each of them is', () => {
    const reason = 'none can be written to: one:5432 is away (ECONNREFUSED), two:5432 is a standby';
    expect(choose([AWAY, STANDBY])).toMatchObject({ host: null, reason, endsAll: false });
  });

  it('writes nowhere if the hosts are different clusters, whichever is writable', () => {
    const choice = choose([STANDBY, writable(1, '10:00', '8')]);
    expect(choice).toMatchObject({ host: null, endsAll: true });
    expect(choice).toHaveProperty('reason', expect.stringContaining('different clusters'));
  });
});

describe('two writable hosts', () => {
  it.each([
    ['a standby was promoted beside it', [writable(1), writable(2, '11:00')], WRITTEN],
    ['it was written to and came back after another one was promoted', [writable(1), writable(2, '11:00')], WRITTEN],
    ['a process begins', [writable(2, '11:00'), writable(1)], undefined],
    ['both were promoted', [writable(2), writable(2, '11:00')], undefined],
  ])('are both refused, and all connections end: %s', (_, sightings, written) => {
    const choice = choose(sightings, written);
    expect(choice).toMatchObject({ host: null, endsAll: true, isSplit: true });
    expect(choice).toHaveProperty(
      'reason',
      expect.stringMatching(/one:5432 \(timeline \d\) and two:5432 \(timeline \d\)/),
    );
  });

  it('are one if they are two names of one server', () => {
    expect(choose([writable(1), writable(1)])).toMatchObject({ host: 0 });
    expect(choose([writable(1), writable(1)], { host: 1, server: server(1) })).toMatchObject({ host: 1 });
  });
});

describe('a process that has written', () => {
  it('stays, whatever the others are', () => {
    for (const other of [STANDBY, AWAY, JUST_SILENT, CLOSED]) {
      expect(choose([writable(1), other], WRITTEN)).toMatchObject({ host: 0 });
    }
  });

  it('stays while its host is silent and no other one is writable', () => {
    expect(choose([LONG_SILENT, STANDBY], WRITTEN)).toEqual({ host: 0, server: null });
    expect(choose([CLOSED, STANDBY], WRITTEN)).toEqual({ host: 0, server: null });
  });

  it('stays when its host was started again', () => {
    expect(choose([writable(1, '12:00'), STANDBY], WRITTEN)).toMatchObject({ host: 0 });
  });

  it.each([
    ['is away', AWAY],
    ['is a standby', STANDBY],
    ['has been silent for long', LONG_SILENT],
  ])('goes to one that was promoted when its own %s', (_, own) => {
    expect(choose([own, writable(2, '11:00')], WRITTEN)).toMatchObject({ host: 1 });
  });

  it('waits while its own may be hung for a moment, and leaves its connections alone', () => {
    expect(choose([JUST_SILENT, writable(2, '11:00')], WRITTEN)).toMatchObject({ host: null, endsAll: false });
  });

  it.each([
    ['another host on its own timeline', [AWAY, writable(1, '11:00')], WRITTEN],
    ['another host on an older one', [AWAY, writable(2, '11:00')], { host: 0, server: server(3) }],
    ['its own host on an older one', [writable(1, '12:00'), AWAY], { host: 0, server: server(2) }],
  ])('does not go back to %s, which lacks what was written', (_, sightings, written) => {
    const choice = choose(sightings, written);
    expect(choice).toMatchObject({ host: null, endsAll: true, isSplit: false });
    expect(choice).toHaveProperty('reason', expect.stringContaining('lacks what was written'));
  });

  it('does not go to another cluster, and takes no notice of one beside its own', () => {
    const foreign = writable(5, '11:00', '8');
    expect(choose([AWAY, foreign], WRITTEN)).toHaveProperty('reason', expect.stringContaining('another cluster'));
    expect(choose([writable(1), foreign], WRITTEN)).toMatchObject({ host: 0 });
  });

  it('knows a cluster by its timelines alone where it may not read more', () => {
    expect(choose([AWAY, writable(2, '11:00', null)], WRITTEN)).toMatchObject({ host: 1 });
  });
});
