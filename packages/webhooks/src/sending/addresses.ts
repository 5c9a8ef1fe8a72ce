import { Refusal } from '@lockstep/contract';
import ipaddr from 'ipaddr.js';

/**
 * A public address that is no endpoint all the same: the host of a virtual machine answers there (Azure).
 * The other clouds' metadata addresses are link-local or otherwise reserved.
 */
const DENIED_ADDRESSES = ['168.63.129.16'];

/**
 * Refuses a URL to which messages must not go (rules 6.8), as far as its text says. Names are judged when connecting,
 * by the address that they have then.
 *
 * Throws a Refusal: field_invalid, or webhook_address_forbidden. It does not repeat the URL, which may hold a secret.
 */
export function checkUrl(text: string, { allowPrivate }: { allowPrivate: boolean }): void {
  const url = URL.parse(text);
  const schemes = allowPrivate ? ['https:', 'http:'] : ['https:'];
  // WHATWG URL takes what others do not: without slashes, with backslashes, a blank in the middle.
  if (url === null || !/^https?:\/\/[^\s\\]+$/i.test(text) || !schemes.includes(url.protocol)) {
    throw new Refusal(
      'field_invalid',
      'url',
      `must start with ${allowPrivate ? 'https:// or http://' : 'https://'} and a host name`,
    );
  }
  if (url.username !== '' || url.password !== '' || text.split('/')[2]!.includes('@')) {
    throw new Refusal('field_invalid', 'url', 'must not contain a user name or a password');
  }
  if (text.includes('#')) throw new Refusal('field_invalid', 'url', 'must not contain a fragment (#)');
  if (!allowPrivate && isForbiddenHost(url.hostname)) throw new Refusal('webhook_address_forbidden', url.hostname);
}

/**
 * Whether the host of a URL is an address to which nothing must be sent, or a name of this machine. `hostname` is
 * normalized: WHATWG URL has written 2130706433, 0x7f.1 and 0177.0.0.1 as 127.0.0.1 already.
 */
export function isForbiddenHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (ipaddr.isValid(host)) return isForbiddenAddress(host);
  return host === 'localhost' || host.endsWith('.localhost');
}

/**
 * The addresses of IPv6 that are given to networks (RFC 4291, 2.4). Outside, ::/96 and others may carry an IPv4
 * address.
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether nothing must be sent to an address, because it is not a unicast address of the public internet (rules 6.8).
 */
export function isForbiddenAddress(address: string): boolean {
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST)) return true;
  // Not unicast either: 6to4 and Teredo, which carry an IPv4 address.
  return parsed.range() !== 'unicast' || DENIED_ADDRESSES.includes(address);
}
