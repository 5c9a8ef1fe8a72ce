import { promises as dns } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Refusal } from '@lockstep/contract';
import ipaddr from 'ipaddr.js';
import { ForbiddenAddress } from './faults.ts';

/**
 * A public address that must not be an endpoint: Azure's host answers virtual machines there. Other clouds' metadata
 * addresses are link-local or reserved.
 */
const DENIED_ADDRESSES = ['168.63.129.16'];

/**
 * Whether the host of a URL is a forbidden address or a name of this machine. `hostname` is normalized: the WHATWG
 * parser has turned 2130706433, 0x7f.1 and 0177.0.0.1 into 127.0.0.1.
 */
export function isForbiddenHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (ipaddr.isValid(host)) return isForbiddenAddress(host);
  return host === 'localhost' || host.endsWith('.localhost');
}

/** The IPv6 addresses assigned to networks (RFC 4291, 2.4). Outside, ::/96 and others may contain an IPv4 address. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether an address is forbidden because it is not a unicast address of the public internet (rules 6.8). */
function isForbiddenAddress(address: string): boolean {
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST)) return true;
  // 6to4 and Teredo, which contain an IPv4 address, are not unicast either.
  return parsed.range() !== 'unicast' || DENIED_ADDRESSES.includes(address);
}

/** How long each name server has to answer, and how often it is asked. */
const RESOLVER = { timeout: 2_500, tries: 2 };

/**
 * Looks up names by DNS without using threads. The usual look-up occupies one of four threads until the name server
 * answers, so a few silent name servers would block everything else that needs a thread. Ignores the hosts file, which
 * has no public endpoints.
 *
 * Fails with a ForbiddenAddress if any address of the name is forbidden. The connection uses the returned address.
 */
export const lookUpPublic: LookupFunction = (hostname, { family, all }, done) => {
  const kinds: Kind[] = family === 4 || family === 'IPv4' ? [4] : family === 6 || family === 'IPv6' ? [6] : [4, 6];
  void lookUp(hostname, kinds).then(({ addresses, forbidden, failures }) => {
    const [first] = addresses;
    if (forbidden !== undefined) done(new ForbiddenAddress(forbidden.address), []);
    else if (first === undefined) done(failures[0] ?? Object.assign(new Error('no address'), { code: 'ENODATA' }), []);
    else if (all) done(null, addresses);
    else done(null, first.address, first.family);
  });
};

/**
 * Whether DNS says that nothing can be sent to the host of a URL: its name doesn't exist, has no address or has a
 * forbidden one. False for an address, and if DNS gives no answer.
 */
async function isUnreachable(hostname: string): Promise<boolean> {
  if (ipaddr.isValid(hostname.replace(/^\[|\]$/g, ''))) return false;
  const { addresses, forbidden, failures } = await lookUp(hostname, [4, 6]);
  if (addresses.length > 0) return forbidden !== undefined;
  return failures.every(({ code }) => code === dns.NOTFOUND || code === dns.NODATA);
}

type Kind = 4 | 6;

async function lookUp(hostname: string, kinds: Kind[]) {
  const resolver = new dns.Resolver(RESOLVER);
  const ask = async (kind: Kind) => {
    const addresses = await (kind === 4 ? resolver.resolve4(hostname) : resolver.resolve6(hostname));
    return addresses.map((address) => ({ address, family: kind }));
  };
  const answers = await Promise.allSettled(kinds.map(ask));
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  return {
    addresses,
    forbidden: addresses.find(({ address }) => isForbiddenAddress(address)),
    failures: answers.flatMap((answer) =>
      answer.status === 'rejected' ? [answer.reason as NodeJS.ErrnoException] : [],
    ),
  };
}

/**
 * Refuses a URL to which messages must not or cannot be sent (rules 6.8), as far as its text and DNS tell now. The
 * sender checks the address again when it connects. If DNS gives no answer, the name is accepted.
 *
 * Throws a Refusal: field_invalid or webhook_address_forbidden. It never repeats the URL, which may contain a secret.
 */
export async function checkUrl(text: string, { allowPrivate }: { allowPrivate: boolean }): Promise<void> {
  const url = URL.parse(text);
  const schemes = allowPrivate ? ['https:', 'http:'] : ['https:'];
  // The WHATWG parser accepts URLs that others don't: without slashes, with backslashes, with spaces inside.
  if (url === null || !/^https?:\/\/[^\s\\]+$/i.test(text) || !schemes.includes(url.protocol)) {
    throw new Refusal('field_invalid', 'url', allowPrivate ? 'url_any' : 'url_https');
  }
  if (url.username !== '' || url.password !== '' || text.split('/')[2]!.includes('@')) {
    throw new Refusal('field_invalid', 'url', 'url_user');
  }
  if (text.includes('#')) throw new Refusal('field_invalid', 'url', 'url_fragment');
  if (allowPrivate) return;
  if (isForbiddenHost(url.hostname) || (await isUnreachable(url.hostname))) {
    throw new Refusal('webhook_address_forbidden', url.hostname);
  }
}
