import { Counter, Gauge, type Registry } from 'prom-client';
import { finderOf, type HostsState } from './host-finder.ts';
import type { Logger } from './log.ts';
import type { Sighting } from './writable-host.ts';

const STATES: readonly Sighting['state'][] = ['writable', 'standby', 'away', 'silent', 'closed'];

/**
 * Tells log and metrics which host of a DATABASE_URL is written to, when that changes, and why none may be. Does nothing for a
 * URL that names one host.
 */
export function reportHosts(url: string, log: Logger, registry: Registry): void {
  const finder = finderOf(url);
  if (finder === undefined || registry.getSingleMetric('lockstep_database_host_written') !== undefined) return;
  finder.listen(logChanges(log));
  registerGauges(registry, () => finder.state);
}

function logChanges(log: Logger): (state: HostsState) => void {
  let logged = '';
  let switches = 0;
  return ({ names, choice, written, ...state }) => {
    if (choice === null) return;
    const told = choice.host === null ? choice.reason : names[choice.host]!;
    if (told === logged) return;
    logged = told;
    if (choice.host === null) {
      log.error({ reason: choice.reason, isSplit: choice.isSplit }, 'no host of the database may be written to');
      return;
    }
    const timeline = choice.server?.timeline;
    const isSwitch = state.switches > switches;
    switches = state.switches;
    if (isSwitch)
      log.warn({ host: told, timeline, movedIdsOn: state.movedOn }, 'another host of the database is written to');
    else log.info({ host: told, timeline }, 'the host of the database that is written to');
  };
}

function registerGauges(registry: Registry, read: () => HostsState): void {
  const registers = [registry];
  new Gauge({
    name: 'lockstep_database_host_written',
    help: 'Whether this is the host of DATABASE_URL that may be written to; 0 everywhere if none may be',
    labelNames: ['host'],
    registers,
    collect() {
      const { names, choice } = read();
      for (const [place, host] of names.entries()) this.set({ host }, choice?.host === place ? 1 : 0);
    },
  });
  new Gauge({
    name: 'lockstep_database_host_state',
    help: 'What each host of DATABASE_URL was at the last look: 1 for its state, 0 for the others',
    labelNames: ['host', 'state'],
    registers,
    collect() {
      const { names, sightings } = read();
      for (const [place, host] of names.entries()) {
        for (const state of STATES) this.set({ host, state }, sightings[place]?.state === state ? 1 : 0);
      }
    },
  });
  new Gauge({
    name: 'lockstep_database_host_since_seconds',
    help: 'When the host that was written to last was found, as a Unix time; 0 before the first',
    registers,
    collect() {
      this.set((read().written?.sinceTime ?? 0) / 1000);
    },
  });
  new Gauge({
    name: 'lockstep_database_split',
    help: 'Whether more than one host of DATABASE_URL can be written to, so that none may be',
    registers,
    collect() {
      const { choice } = read();
      this.set(choice?.host === null && choice.isSplit ? 1 : 0);
    },
  });
  new Counter({
    name: 'lockstep_database_host_switches_total',
    help: 'How often another host of DATABASE_URL has taken the place of the one that was written to',
    registers,
    collect() {
      this.reset();
      this.inc(read().switches);
    },
  });
}
