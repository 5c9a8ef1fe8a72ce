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

/** What an invalid address must be; each text continues a sentence that begins with the address's name. */
export const REDIS_ADDRESS_FAULTS = {
  form:
    'must be redis://:password@host:port, or rediss:// for TLS, with / ? # and @ in user and password written as ' +
    '%2F %3F %23 and %40; a cluster is redis://:password@host1:port,host2:port or one host with ?cluster=true',
  clusterOption: 'takes cluster=true or cluster=false only',
  severalHosts: 'names several hosts, so it must not say cluster=false',
  database: 'must not name a database number: a cluster has only one',
  otherOption: 'takes no option but cluster=true for a cluster',
};

const DEFAULT_PORT = 6379;

/**
 * Parses the address of Redis. It is a cluster if it names several hosts, separated by commas, or says `cluster=true`;
 * the named nodes know the others. A fault says what to write instead, and quotes no part of the address.
 */
export function readRedisAddress(text: string): Read {
  const parts = /^(rediss?):\/\/(?:([^@/?#]*)@)?([^@/?#]+)(\/[^?#]*)?(?:\?([^#]*))?$/.exec(text.trim());
  if (parts === null) return { fault: REDIS_ADDRESS_FAULTS.form };
  const [, protocol, credentials = '', hosts = '', path = '', query = ''] = parts;
  const options = new URLSearchParams(query);
  const names = hosts.split(',');
  const said = options.get('cluster');
  if (said !== null && said !== 'true' && said !== 'false') return { fault: REDIS_ADDRESS_FAULTS.clusterOption };
  if (names.length > 1 && said === 'false') return { fault: REDIS_ADDRESS_FAULTS.severalHosts };
  const urls = names.map((name) => URL.parse(`${protocol}://${credentials}@${name}`));
  if (!urls.every((url) => url !== null && url.hostname !== '' && url.port !== '0'))
    return { fault: REDIS_ADDRESS_FAULTS.form };
  if (names.length === 1 && said !== 'true') return { address: { kind: 'server', url: text.trim() } };
  if (!/^(\/\d*)?$/.test(path)) return { fault: REDIS_ADDRESS_FAULTS.form };
  if (!/^\/?0?$/.test(path)) return { fault: REDIS_ADDRESS_FAULTS.database };
  if ([...options.keys()].some((name) => name !== 'cluster')) {
    return { fault: REDIS_ADDRESS_FAULTS.otherOption };
  }
  const [first] = urls as URL[];
  const username = decode(first!.username);
  const password = decode(first!.password);
  if (username === undefined || password === undefined) return { fault: REDIS_ADDRESS_FAULTS.form };
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
