/** One server of those that a DATABASE_URL names. */
export interface DatabaseHost {
  /** Host and port, for people: never the password. */
  name: string;
  host: string;
  port: number;
  /** The URL with this host alone. */
  url: string;
}

/** What stands before the hosts, the hosts, and what stands behind them. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*)(.*)$/s;
const DEFAULT_PORT = 5432;

/**
 * Reads which servers a DATABASE_URL names, in libpq's way: `postgres://user:password@host1:5432,host2:5433/database`. Drivers
 * and the URLs of browsers know only one host, so this is the only place that reads several.
 * @returns the hosts in their order, each with a URL of its own; none if it names one at most: then the URL is a driver's
 * matter, with all that it may hold
 */
export function readHosts(url: string): DatabaseHost[] {
  const [, before = '', hosts = '', behind = ''] = PARTS.exec(url) ?? [];
  if (!hosts.includes(',')) return [];
  return hosts.split(',').map((text) => {
    const [, host = text, port = ''] = /^(\[.*\]|[^:]*):?(\d*)$/.exec(text) ?? [];
    return {
      name: `${host}:${port || DEFAULT_PORT}`,
      host: decode(host.replace(/^\[(.*)\]$/, '$1')),
      port: Number(port || DEFAULT_PORT),
      url: `${before}${text}${behind}`,
    };
  });
}

/** Names the one host of a URL as `readHosts` names several; by the directory of its socket if the URL has that. */
export function nameHost(url: string): string {
  const { hostname, port, searchParams } = new URL(url);
  return searchParams.get('host') ?? `${hostname || 'localhost'}:${port || DEFAULT_PORT}`;
}

/**
 * Takes the name of sessions out of a URL, because drivers prefer it to the one that a process gives, and by that the migrator
 * knows which release is connected.
 */
export function withoutSessionName(url: string): string {
  const [, before = url, query = '', behind = ''] = /^([^?#]*)\?([^#]*)(.*)$/s.exec(url) ?? [];
  const parameters = new URLSearchParams(query);
  if (!parameters.has('application_name')) return url;
  parameters.delete('application_name');
  return `${before}?${parameters}${behind}`;
}

/** What is not encoded as in a URL stays as it is: nobody finds such a host. */
function decode(host: string): string {
  try {
    return decodeURIComponent(host);
  } catch {
    return host;
  }
}

/** Says what is wrong with the several hosts of a DATABASE_URL; null if nothing is, or if it names only one. */
export function findHostsFault(url: string): string | null {
  const hosts = readHosts(url);
  if (hosts.length === 0) return null;
  const names = hosts.map(({ name }) => name);
  if (hosts.some(({ host }) => host === '')) return 'must name a host before and behind each comma';
  if (hosts.some(({ host }) => host.includes('%'))) return 'must have no % in its hosts that encodes nothing';
  const repeated = names.find((name, place) => names.indexOf(name) !== place);
  if (repeated !== undefined) return `must name each host once, and names ${repeated} again`;
  const { searchParams } = new URL(hosts[0]!.url);
  const given = ['host', 'port', 'hostaddr'].find((parameter) => searchParams.has(parameter));
  return given === undefined
    ? null
    : `must name its hosts before the database, and not in the parameter ${given} as well`;
}
