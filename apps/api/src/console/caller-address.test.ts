import { expect, it } from 'vitest';
import { addressOf } from './caller-address.ts';

const from = (ip: string, forwarded?: string, publicUrl: string | null = null) =>
  addressOf({ ip, headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded } }, publicUrl);
const PROXIED = 'https://licenses.example';

it('a caller is identified by the address of the connection', () => {
  expect(from('203.0.113.9')).toBe('203.0.113.9');
  expect(from('::ffff:203.0.113.9')).toBe('203.0.113.9');
  // Any client can send this header.
  expect(from('203.0.113.9', '198.51.100.7')).toBe('203.0.113.9');
});

it('behind a proxy, by the last entry, which the proxy adds', () => {
  expect(from('10.0.0.1', '198.51.100.7', PROXIED)).toBe('198.51.100.7');
  expect(from('10.0.0.1', '192.0.2.1, 198.51.100.7', PROXIED)).toBe('198.51.100.7');
  expect(from('10.0.0.1', 'unknown', PROXIED)).toBe('10.0.0.1');
  expect(from('10.0.0.1', undefined, PROXIED)).toBe('10.0.0.1');
});

it.each([
  ['10.0.0.1:1234', '10.0.0.1'],
  ['"10.0.0.1"', '10.0.0.1'],
  ['"10.0.0.1:1234"', '10.0.0.1'],
  ['192.0.2.1, 198.51.100.7:80', '198.51.100.7'],
  ['2001:db8:1:2::3', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::3]', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::3]:443', '2001:db8:1:2::/64'],
  ['"[2001:db8:1:2::3]:443"', '2001:db8:1:2::/64'],
  ['[::ffff:198.51.100.7]:443', '198.51.100.7'],
])('reads what proxies write: %s is %s', (forwarded, address) => {
  expect(from('203.0.113.9', forwarded, PROXIED)).toBe(address);
});

it.each([
  ...['010.0.0.1', '10.1', '1', '0x7f.0.0.1', '[10.0.0.1]', '10.0.0.1:port', '"10.0.0.1', '[2001:db8::1', 'host:80'],
  '""',
])('uses the address of the proxy if it names none: %s', (forwarded) => {
  expect(from('203.0.113.9', forwarded, PROXIED)).toBe('203.0.113.9');
});

it('with IPv6, by the part that the provider assigns', () => {
  expect(from('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
  expect(from('2001:db8:1:2:ffff::1')).toBe('2001:db8:1:2::/64');
});
