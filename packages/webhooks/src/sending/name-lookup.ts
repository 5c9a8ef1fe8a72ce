import { promises as dns } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isForbiddenAddress } from './addresses.ts';
import { ForbiddenAddress } from './faults.ts';

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
export async function isUnreachable(hostname: string): Promise<boolean> {
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
