import pg from 'pg';
import type { DatabaseHost } from './database-hosts.ts';

/** What connects to the host of a DATABASE_URL that may be written to. Give it to a FollowingClient, or to a pool of them. */
export interface FollowingConfig {
  connectionString: string;
  /** Absent if the URL names one host: then there is nothing to find. */
  finder?: Finder;
}

/** Knows which host may be written to, and ends connections to others (HostFinder). */
export interface Finder {
  /** Says where a connection that begins may connect to, and counts it from now on. Throws why there is no such host. */
  enter(client: FollowingClient): Promise<DatabaseHost>;
  /** Throws if a connection that has just been made is to the wrong host after all. */
  confirm(client: FollowingClient, isStandby: boolean): void;
  /** Counts a connection no more. */
  leave(client: FollowingClient): void;
}

/** The part of pg's client that a change of the host needs. */
interface Wired {
  connectionParameters: { host: string; port: number };
  connection: {
    stream: { destroy(error?: Error): void; on(event: 'error', listener: () => void): void };
    once(event: 'end', listener: () => void): void;
    on(event: 'parameterStatus', listener: (status: { parameterName: string; parameterValue: string }) => void): void;
  };
}

/**
 * A connection to the host that may be written to, whichever that is when it connects. It ends when another host takes its
 * place, with all that was sent on it. With one host it is pg's own connection.
 */
export class FollowingClient extends pg.Client {
  readonly #finder: Finder | undefined;

  constructor(config: pg.ClientConfig & Partial<FollowingConfig> = {}) {
    super(config);
    this.#finder = config.finder;
    if (this.#finder === undefined) return;
    // The finder may end it while nobody listens yet, and an error that nobody hears ends the process.
    this.on('error', () => {});
    (this as unknown as Wired).connection.stream.on('error', () => {});
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg has an overload for callers with a callback, such as its pool
  override connect(callback?: any): any {
    if (this.#finder === undefined) return super.connect(callback);
    const connecting = this.#connectTo(this.#finder);
    if (callback === undefined) return connecting;
    connecting.then(
      () => process.nextTick(callback),
      (error: Error) => process.nextTick(callback, error),
    );
  }

  /** Ends it at once: what was sent on it fails with `reason`, whether or not PostgreSQL has carried it out. */
  cutOff(reason: Error): void {
    (this as unknown as Wired).connection.stream.destroy(reason);
  }

  async #connectTo(finder: Finder): Promise<pg.Client> {
    const wired = this as unknown as Wired;
    try {
      const { host, port } = await finder.enter(this);
      Object.assign(this, { host, port });
      Object.assign(wired.connectionParameters, { host, port });
      let isStandby = false;
      wired.connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
        if (parameterName === 'in_hot_standby') isStandby = parameterValue === 'on';
      });
      await super.connect();
      // Whoever uses it may take all listeners off the client, as BullMQ does.
      wired.connection.once('end', () => finder.leave(this));
      finder.confirm(this, isStandby);
      return this;
    } catch (error) {
      this.cutOff(error as Error);
      finder.leave(this);
      throw error;
    }
  }
}
