import { promises as dns } from 'node:dns';
import type { LookupFunction } from 'node:net';
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
  const resolver = new dns.Resolver(RESOLVER);
  const ask = async (kind: 4 | 6) => {
    const addresses = await (kind === 4 ? resolver.resolve4(hostname) : resolver.resolve6(hostname));
    return addresses.map((address) => ({ address, family: kind }));
  };
  const kinds =
    family === 4 || family === 'IPv4'
      ? [4 as const]
      : family === 6 || family === 'IPv6'
        ? [6 as const]
        : [4 as const, 6 as const];
  void Promise.allSettled(kinds.map(ask)).then((answers) => {
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const failed = answers.find((answer) => answer.status === 'rejected');
    const [first] = addresses;
    const forbidden = addresses.find(({ address }) => isForbiddenAddress(address));
    if (forbidden !== undefined) done(new ForbiddenAddress(forbidden.address), []);
    else if (first === undefined)
      done(failed?.reason ?? Object.assign(new Error('no address'), { code: 'ENODATA' }), []);
    else if (all) done(null, addresses);
    else done(null, first.address, first.family);
  });
};
