/** A node of a cluster, from which the client learns the others. */
interface RedisNode {
  host: string;
  port: number;
}

/** Where Redis is: one server, whose address ioredis parses, or a cluster. */
type RedisAddress =
  | { kind: 'server'; url: string }
  | { kind: 'cluster'; nodes: RedisNode[]; tls: boolean; username: string | null; password: string | null };

type Read = { address: RedisAddress; fault?: never } | { fault: string; address?: never };

const FORM =
  'must be redis://:password@host:port, or rediss:// for TLS, with / ? # and @ in user and password written as ' +
  '%2F %3F %23 and %40; a cluster is redis://:password@host1:port,host2:port or one host with ?cluster=true';

const DEFAULT_PORT = 6379;

/**
 * Parses the address of Redis. It is a cluster if it names several hosts, separated by commas, or says `cluster=true`;
 * the named nodes know the others. A fault says what to write instead, and quotes no part of the address.
 */
export function readRedisAddress(text: string): Read {
  const parts = /^(rediss?):\/\/(?:([^@/?#]*)@)?([^@/?#]+)(\/[^?#]*)?(?:\?([^#]*))?$/.exec(text.trim());
  if (parts === null) return { fault: FORM };
  const [, protocol, credentials = '', hosts = '', path = '', query = ''] = parts;
  const options = new URLSearchParams(query);
  const names = hosts.split(',');
  const said = options.get('cluster');
  if (said !== null && said !== 'true' && said !== 'false') return { fault: 'may say cluster=true or cluster=false' };
  if (names.length > 1 && said === 'false') return { fault: 'names several hosts, which only a cluster has' };
  const urls = names.map((name) => URL.parse(`${protocol}://${credentials}@${name}`));
  if (!urls.every((url) => url !== null && url.hostname !== '' && url.port !== '0')) return { fault: FORM };
  if (names.length === 1 && said !== 'true') return { address: { kind: 'server', url: text.trim() } };
  if (!/^(\/\d*)?$/.test(path)) return { fault: FORM };
  if (!/^\/?0?$/.test(path)) return { fault: 'must have no number of a database: a cluster has one only' };
  if ([...options.keys()].some((name) => name !== 'cluster')) {
    return { fault: 'must have no other option than cluster=true for a cluster' };
  }
  const [first] = urls as URL[];
  const username = decode(first!.username);
  const password = decode(first!.password);
  if (username === undefined || password === undefined) return { fault: FORM };
  const nodes = (urls as URL[]).map(({ hostname, port }) => ({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? DEFAULT_PORT : Number(port),
  }));
  return { address: { kind: 'cluster', nodes, tls: protocol === 'rediss', username, password } };
}

/** Returns null for an empty text; undefined if the text is not properly encoded. */
function decode(text: string): string | null | undefined {
  try {
    return decodeURIComponent(text) || null;
  } catch {
    return undefined;
  }
}
