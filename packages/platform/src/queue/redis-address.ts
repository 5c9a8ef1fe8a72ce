/** A node of a cluster, from which the client learns the others. */
interface RedisNode {
  host: string;
  port: number;
}

/** Where Redis is: one server, whose address ioredis parses, or a cluster. */
type RedisAddress =
  | { kind: 'server'; url: string }
  | { kind: 'cluster'; nodes: RedisNode[]; tls: boolean; username: string; password: string };

/** What an address must be, to follow its name. */
export const REDIS_ADDRESS_RULE =
  'must be redis://:password@host:port, or rediss:// for TLS, with / ? # @ in user and password written as ' +
  '%2F %3F %23 %40; a cluster is redis://:password@host1:port,host2:port or one host with ?cluster=true, without a ' +
  'database number or another option';

const DEFAULT_PORT = 6379;

/**
 * Parses the address of Redis. It is a cluster if it names several hosts, separated by commas, or says `cluster=true`;
 * the named nodes know the others. Returns null if it is invalid.
 */
export function readRedisAddress(text: string): RedisAddress | null {
  const url = text.trim();
  const parts = /^(rediss?):\/\/(?:([^@/?#]*)@)?([^@/?#]+)(\/[^?#]*)?(?:\?([^#]*))?$/.exec(url);
  if (parts === null) return null;
  const [, protocol, credentials = '', hosts = '', path = '', query = ''] = parts;
  const urls = hosts.split(',').flatMap((host) => URL.parse(`${protocol}://${credentials}@${host}`) ?? []);
  const isValid = urls.length === hosts.split(',').length && urls.every((each) => each.hostname && each.port !== '0');
  if (!isValid) return null;
  const options = new URLSearchParams(query);
  const cluster = options.get('cluster') ?? String(urls.length > 1);
  if (cluster === 'false' && urls.length === 1) return { kind: 'server', url };
  if (cluster !== 'true' || !/^\/?0?$/.test(path) || options.size > Number(options.has('cluster'))) return null;
  const [username, password] = [urls[0]!.username, urls[0]!.password].map(decode);
  if (username === undefined || password === undefined) return null;
  const nodes = urls.map(({ hostname, port }) => ({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? DEFAULT_PORT : Number(port),
  }));
  return { kind: 'cluster', nodes, tls: protocol === 'rediss', username, password };
}

/** Returns undefined if the text is not properly encoded. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
