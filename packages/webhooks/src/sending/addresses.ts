import ipaddr from 'ipaddr.js';

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
export function isForbiddenAddress(address: string): boolean {
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST)) return true;
  // 6to4 and Teredo, which contain an IPv4 address, are not unicast either.
  return parsed.range() !== 'unicast' || DENIED_ADDRESSES.includes(address);
}
