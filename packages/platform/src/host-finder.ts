import { setTimeout as delay } from 'node:timers/promises';
import { type DatabaseHost, readHosts, withoutSessionName } from './database-hosts.ts';
import type { Finder, FollowingClient, FollowingConfig } from './following-client.ts';
import { HostProbe } from './host-probe.ts';
import { notePromotion } from './promotion.ts';
import {
  type Choice,
  chooseHost,
  type Server,
  SILENT_COUNTS_AS_GONE_MS,
  type Sighting,
  type Written,
} from './writable-host.ts';

const LOOK_EVERY_MS = 1_000;
/** How soon after a look the next one follows if a connection breaks or somebody asks. */
const SOONEST_MS = 100;
/** The most that a process which begins waits for a silent host: until that counts as gone, and for the looks around it. */
const DOUBT_MS = SILENT_COUNTS_AS_GONE_MS + 2_000;

/** No host of DATABASE_URL may be written to, or not this one any more. Nothing is known of what was sent. */
export class NoWritableHost extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NoWritableHost';
  }
}

/** What is known of the hosts, for log and metrics. */
export interface HostsState {
  names: readonly string[];
  sightings: readonly Sighting[];
  /** Null before the first look. */
  choice: Choice | null;
  /** Where this process has written last, and since when, in milliseconds. */
  written: { host: number; sinceTime: number } | null;
  /** How often the host has changed. */
  switches: number;
  /** Whether ids were moved on by this process when it found that host: it was promoted. */
  movedOn: boolean;
}

const finders = new Map<string, HostFinder>();

/** The finder of a DATABASE_URL with several hosts, one in a process; undefined if it names one. */
export function finderOf(url: string): HostFinder | undefined {
  const known = finders.get(url);
  if (known !== undefined) return known;
  const hosts = readHosts(withoutSessionName(url));
  if (hosts.length === 0) return undefined;
  const finder = new HostFinder(hosts);
  finders.set(url, finder);
  return finder;
}

/** What a FollowingClient needs to connect to whichever host of a DATABASE_URL may be written to. */
export function followWritable(url: string): FollowingConfig {
  const finder = finderOf(url);
  return finder === undefined
    ? { connectionString: withoutSessionName(url) }
    : { connectionString: finder.anyUrl, finder };
}

/**
 * Knows which of several hosts may be written to (writable-host.ts has the rules), and keeps all connections of the process
 * there. It looks at all hosts once a second, and at once when a connection breaks, for as long as there are connections.
 */
export class HostFinder implements Finder {
  /** The URL of one of the hosts, for what is the same for all of them. */
  readonly anyUrl: string;
  readonly #hosts: readonly DatabaseHost[];
  readonly #probes: readonly HostProbe[];
  /** The connections, and which host each is for; null while it waits for one. */
  readonly #clients = new Map<FollowingClient, number | null>();
  readonly #listeners = new Set<(state: HostsState) => void>();
  #sightings: readonly Sighting[] = [];
  #choice: Choice | null = null;
  #written: (Written & { sinceTime: number }) | undefined;
  #switches = 0;
  #looking: Promise<void> | undefined;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #dueMs = 0;
  /** The cluster and the timeline whose ids are known to be fresh. */
  #prepared: string | undefined;
  #movedOn = false;

  constructor(hosts: readonly DatabaseHost[]) {
    this.anyUrl = hosts[0]!.url;
    this.#hosts = hosts;
    this.#probes = hosts.map((host) => new HostProbe(host));
  }

  get state(): HostsState {
    return {
      names: this.#hosts.map(({ name }) => name),
      sightings: this.#sightings,
      choice: this.#choice,
      written: this.#written ?? null,
      switches: this.#switches,
      movedOn: this.#movedOn,
    };
  }

  /** Calls `listener` after each look at the hosts. */
  listen(listener: (state: HostsState) => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Says where a connection that begins may connect to, and counts it from now on.
   * @throws NoWritableHost that says why there is no such host
   */
  async enter(client: FollowingClient): Promise<DatabaseHost> {
    this.#clients.set(client, null);
    if (this.#choice?.host == null) await this.#lookSoon();
    if (this.#written === undefined) await this.#untilDoubtEnds();
    const choice = this.#choice;
    if (choice?.host == null) throw this.#refusal();
    this.#clients.set(client, choice.host);
    return this.#hosts[choice.host]!;
  }

  /**
   * Looks at a connection that has just been made.
   * @throws NoWritableHost when its host may not be written to after all; it is to be ended then
   */
  confirm(client: FollowingClient, isStandby: boolean): void {
    const host = this.#clients.get(client);
    if (host == null || host !== this.#choice?.host) throw this.#refusal();
    if (isStandby) throw new NoWritableHost(`${this.#hosts[host]!.name} is a standby`);
  }

  /** Counts a connection no more. If it broke, its host may have gone. */
  leave(client: FollowingClient): void {
    if (!this.#clients.delete(client)) return;
    if (this.#clients.size === 0) this.#rest();
    else this.#schedule(SOONEST_MS);
  }

  /** Why nothing may be written, or, if something may, why not to this host. */
  #refusal(host?: number): NoWritableHost {
    const choice = this.#choice;
    if (choice !== null && choice.host === null)
      return new NoWritableHost(`of the hosts of DATABASE_URL ${choice.reason}`);
    const name = host === undefined ? 'the host' : this.#hosts[host]!.name;
    return new NoWritableHost(`${name} is not the one that may be written to any more`);
  }

  /** Waits for a look that begins now, or for the one that runs; none that ended just before is repeated. */
  async #lookSoon(): Promise<void> {
    if (this.#looking === undefined && performance.now() - this.#lookedMs < SOONEST_MS && this.#choice !== null) return;
    await this.#look();
  }

  /**
   * Waits until a silent host counts as gone. A process that begins has not seen for how long it is silent, and a command would
   * have ended before it knows; one that has written already rather tells its calls at once.
   */
  async #untilDoubtEnds(): Promise<void> {
    const untilMs = performance.now() + DOUBT_MS;
    while (this.#choice?.host === null && this.#choice.endsSoon === true && performance.now() < untilMs) {
      await delay(SOONEST_MS);
      await this.#lookSoon();
    }
  }

  #look(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#looking ??= this.#lookAtAll().finally(() => {
      this.#looking = undefined;
      this.#lookedMs = performance.now();
      if (this.#clients.size === 0) this.#rest();
      else this.#schedule(LOOK_EVERY_MS);
    });
    return this.#looking;
  }

  async #lookAtAll(): Promise<void> {
    const sightings = await Promise.all(this.#probes.map((probe) => probe.look()));
    const names = this.#hosts.map(({ name }) => name);
    const choice = chooseHost(names, sightings, this.#written);
    if (choice.host !== null && choice.server !== null && this.#isNew(choice.server)) {
      const fault = await this.#prepare(choice.host, choice.server);
      // That took a while: what was seen may be over.
      if (fault === null) return await this.#lookAtAll();
      this.#take(sightings, { host: null, reason: fault, endsAll: false, isSplit: false });
    } else this.#take(sightings, choice);
  }

  /** Whether nothing has been written to it on this timeline yet, as far as this process knows. */
  #isNew({ identifier, timeline }: Server): boolean {
    return this.#prepared !== `${identifier} ${timeline}`;
  }

  /**
   * Has the server move its ids on if it was promoted, before anything is written there: nobody may get an id that another
   * server has given out and this one does not know of.
   * @returns why it could not be done; null if it is done
   */
  async #prepare(host: number, { identifier, timeline }: Server): Promise<string | null> {
    try {
      this.#movedOn = await notePromotion(this.#hosts[host]!.url);
      this.#prepared = `${identifier} ${timeline}`;
      return null;
    } catch (error) {
      return `${this.#hosts[host]!.name} is writable, and its ids could not be moved on: ${(error as Error).message}`;
    }
  }

  /** Ends what may not go on, and only then lets others begin. */
  #take(sightings: readonly Sighting[], choice: Choice): void {
    if (choice.host !== null && choice.server !== null) this.#note(choice.host, choice.server);
    this.#sightings = sightings;
    this.#choice = choice;
    const isOver = (host: number) => (choice.host === null ? choice.endsAll : host !== choice.host);
    for (const [client, host] of this.#clients) {
      if (host !== null && isOver(host)) client.cutOff(this.#refusal(host));
    }
    for (const tell of this.#listeners) tell(this.state);
  }

  #note(host: number, server: Server): void {
    const isOther = host !== this.#written?.host;
    if (isOther && this.#written !== undefined) this.#switches++;
    const sinceTime = isOther ? Date.now() : this.#written!.sinceTime;
    this.#written = { host, server, sinceTime };
  }

  /** Without connections there is nothing to keep in its place, and what is known grows old. */
  #rest(): void {
    clearTimeout(this.#timer);
    this.#choice = null;
    for (const probe of this.#probes) probe.close();
  }

  /** Has the next look begin after this time, or sooner if that is planned already. */
  #schedule(delayMs: number): void {
    if (this.#looking !== undefined) return;
    const dueMs = performance.now() + delayMs;
    if (this.#timer !== undefined && this.#dueMs <= dueMs) return;
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = setTimeout(() => void this.#look(), delayMs);
  }
}
