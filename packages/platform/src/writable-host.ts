/** What a PostgreSQL says about itself. */
export interface Server {
  /** Of the cluster: a standby has that of its primary. Null if the role may not read it. */
  identifier: string | null;
  /** Each promotion begins a new one, with a higher number. */
  timeline: number;
  /** Together with the identifier it tells servers apart that are reached by two names. */
  startedTime: string;
}

/** What a look at one host found. */
export type Sighting =
  | { state: 'writable'; server: Server }
  /** It is in recovery, or read-only by its configuration. */
  | { state: 'standby'; server: Server }
  /** Nothing works there: the connection is refused, or PostgreSQL starts or stops. */
  | { state: 'away'; why: string }
  /** No answer. It may hang or be cut off, and others may be writing there. */
  | { state: 'silent'; why: string; forMs: number }
  /** It answers and does not let this role in, so nobody can tell whether it is writable. */
  | { state: 'closed'; why: string };

/** Where this process has written last. */
export interface Written {
  host: number;
  server: Server;
}

/** Which host may be written to, by its place in DATABASE_URL, or why none may be. */
export type Choice = { host: number; server: Server | null } | Refused;

/** Why no host may be written to. */
interface Refused {
  host: null;
  reason: string;
  /** What is connected must not go on either. */
  endsAll: boolean;
  /** More than one could be written to. */
  isSplit: boolean;
  /** One is writable, and only a silent host is in its way, which soon answers or counts as gone. */
  endsSoon?: true;
}

/** For how long a host must be silent before another one is believed to have taken its place. */
export const SILENT_COUNTS_AS_GONE_MS = 3_000;

/**
 * Decides which host may be written to. The rules: only a host that is the only writable one; never another one while the
 * last one might still be written to; never back to an older timeline, which lacks what was written since; never to another
 * cluster. A process sees only what it can reach: what that leaves open is in docs/operations.md (Failover).
 * @param names of the hosts, for people
 * @param sightings of a look at all hosts, in the same order
 * @param written where this process has written last; undefined if it has not yet
 */
export function chooseHost(
  names: readonly string[],
  sightings: readonly Sighting[],
  written: Written | undefined,
): Choice {
  const writable = listWritable(sightings);
  const clusters = new Set(sightings.flatMap((sighting) => identifierOf(sighting) ?? []));
  if (written === undefined && clusters.size > 1) {
    return refuse(`${list(names)} are different clusters: one of them does not belong into DATABASE_URL`);
  }
  const ours = writable.filter(({ server }) => isOfCluster(server, written?.server));
  const [first, ...others] = ours;
  if (first === undefined) return findNone(names, sightings, written, writable);
  if (others.some(({ server }) => !isSame(server, first.server))) return findSplit(names, ours);
  // The same server by two names: as before, if that was one of them.
  const { host, server } = ours.find((each) => each.host === written?.host) ?? first;
  if (written === undefined || host !== written.host) {
    const doubtful = sightings.findIndex((sighting, place) => place !== host && mayBeWritten(sighting));
    if (doubtful !== -1) {
      const { state, why } = sightings[doubtful] as Extract<Sighting, { why: string }>;
      const refused = wait(`${names[host]} is writable, and ${names[doubtful]} might be as well: it ${why}`);
      return state === 'silent' ? { ...refused, endsSoon: true } : refused;
    }
  }
  const isBack =
    written !== undefined &&
    !isSame(server, written.server) &&
    (host === written.host ? server.timeline < written.server.timeline : server.timeline <= written.server.timeline);
  if (!isBack) return { host, server };
  return refuse(
    `${names[host]} is writable on timeline ${server.timeline}, and lacks what was written to ${names[written.host]} on ` +
      `timeline ${written.server.timeline}`,
  );
}

interface Place {
  host: number;
  server: Server;
}

function listWritable(sightings: readonly Sighting[]): Place[] {
  return sightings.flatMap((sighting, host) =>
    sighting.state === 'writable' ? [{ host, server: sighting.server }] : [],
  );
}

function identifierOf(sighting: Sighting): string | null {
  return 'server' in sighting ? sighting.server.identifier : null;
}

function isOfCluster(server: Server, known: Server | undefined): boolean {
  if (known === undefined || known.identifier === null || server.identifier === null) return true;
  return server.identifier === known.identifier;
}

/** Whether they are one running server, seen twice. */
function isSame(one: Server, other: Server): boolean {
  return (
    one.identifier === other.identifier && one.startedTime === other.startedTime && one.timeline === other.timeline
  );
}

function mayBeWritten(sighting: Sighting): boolean {
  if (sighting.state === 'silent') return sighting.forMs < SILENT_COUNTS_AS_GONE_MS;
  return sighting.state === 'closed';
}

function findNone(
  names: readonly string[],
  sightings: readonly Sighting[],
  written: Written | undefined,
  foreign: readonly Place[],
): Choice {
  const last = written === undefined ? undefined : sightings[written.host]!;
  // Nobody has taken its place, so it may be only slow: each call finds out for itself, as it does with one host.
  if (last?.state === 'silent' || last?.state === 'closed') return { host: written!.host, server: null };
  if (foreign.length > 0) {
    return refuse(`${list(foreign.map(({ host }) => names[host]!))} is another cluster than the one written to`);
  }
  return wait(
    `none can be written to: ${sightings.map((sighting, host) => describe(names[host]!, sighting)).join(', ')}`,
  );
}

function findSplit(names: readonly string[], places: readonly Place[]): Choice {
  const described = places.map(({ host, server }) => `${names[host]} (timeline ${server.timeline})`);
  const reason = `${list(described)} can be written to, so neither is: stop the one that is wrong, or make it a standby`;
  return { host: null, reason, endsAll: true, isSplit: true };
}

function describe(name: string, sighting: Sighting): string {
  return 'why' in sighting ? `${name} ${sighting.why}` : `${name} is a standby`;
}

function list(names: readonly string[]): string {
  return names.join(' and ');
}

/** What is wrong is certain: nothing may go on. */
function refuse(reason: string): Refused {
  return { host: null, reason, endsAll: true, isSplit: false };
}

/** It may be over in a moment, and what is connected harms nobody. */
function wait(reason: string): Refused {
  return { host: null, reason, endsAll: false, isSplit: false };
}
