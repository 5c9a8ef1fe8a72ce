import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

/** The bits of an IPv6 address that a provider gives to one customer; the rest is theirs to change. */
const IPV6_CUSTOMER_BITS = 64;

/**
 * Whose failed log-ins count together: the address that a call comes from, of IPv6 its first half. Where a proxy stands in
 * front (`publicUrl` is set) that is what the proxy says, the last word of X-Forwarded-For; what stands before it the caller
 * may have made up.
 */
export function addressOf({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>, publicUrl: string | null): string {
  const forwarded =
    publicUrl === null
      ? undefined
      : String(headers['x-forwarded-for'] ?? '')
          .split(',')
          .at(-1)
          ?.trim();
  const address = forwarded !== undefined && ipaddr.isValid(forwarded) ? forwarded : ip;
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${IPV6_CUSTOMER_BITS}`);
  return `${network.toString()}/${IPV6_CUSTOMER_BITS}`;
}
