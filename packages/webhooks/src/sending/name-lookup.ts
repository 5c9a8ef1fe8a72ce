import { promises as dns } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isForbiddenAddress } from './addresses.ts';
import { ForbiddenAddress } from './faults.ts';

/** How long one name server has to answer, and how often each is asked. */
const RESOLVER = { timeout: 2_500, tries: 2 };

/**
 * Looks up names by DNS, without the threads of the process: the usual look-up takes one of four until the name server
 * answers, so a few names whose servers are silent would hold up all others, and what else needs a thread. It does not
 * read the hosts file, which has no public endpoints.
 *
 * If one address of a name is forbidden, it fails with a ForbiddenAddress. What it returns is what is connected to.
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
