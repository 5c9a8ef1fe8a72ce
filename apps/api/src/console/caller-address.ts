import { isIP, isIPv4, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

/** The bits of an IPv6 address that a provider assigns. The customer chooses the rest. */
const IPV6_CUSTOMER_BITS = 64;
const QUOTED = /^"(.*)"$/;
const BRACKETED = /^\[([^\]]*)\](?::\d{1,5})?$/;
const WITH_PORT = /^([^:]*):\d{1,5}$/;

/**
 * Returns the address under which failed logins are counted: that of the call, and for IPv6 its first half. Behind a
 * proxy (`publicUrl` is set) it is the last entry of X-Forwarded-For, because the caller can forge earlier entries. If
 * that entry is not an address, the address of the proxy counts.
 */
export function addressOf({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>, publicUrl: string | null): string {
  const forwarded = publicUrl === null ? null : forwardedAddress(String(headers['x-forwarded-for'] ?? ''));
  const address = forwarded ?? ip;
  if (isIP(address) === 0) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${IPV6_CUSTOMER_BITS}`);
  return `${network.toString()}/${IPV6_CUSTOMER_BITS}`;
}

/**
 * Returns the address in the last entry of X-Forwarded-For; null if it is none. Some proxies add a port, quotes, or
 * brackets around IPv6. Uses `isIP`, because ipaddr.js and URL read `010.0.0.1` as 8.0.0.1.
 */
function forwardedAddress(header: string): string | null {
  const last = header.split(',').at(-1)?.trim() ?? '';
  const entry = QUOTED.exec(last)?.[1] ?? last;
  if (isIP(entry) !== 0) return entry;
  const v6 = BRACKETED.exec(entry)?.[1] ?? '';
  if (isIPv6(v6)) return v6;
  const v4 = WITH_PORT.exec(entry)?.[1] ?? '';
  return isIPv4(v4) ? v4 : null;
}
