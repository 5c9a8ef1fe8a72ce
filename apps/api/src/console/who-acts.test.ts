import { describe, expect, it } from 'vitest';
import { mayBeForged } from './who-acts.ts';

const host = 'licenses.example:8080';
const read = (headers: Record<string, string>) => mayBeForged({ method: 'GET', headers: { host, ...headers } }, null);
const change = (headers: Record<string, string>, publicUrl: string | null = null) =>
  mayBeForged({ method: 'POST', headers: { host, ...headers } }, publicUrl);

describe('a read', () => {
  it('can come from the console, a typed address, or a client that is no browser', () => {
    expect(read({ 'sec-fetch-site': 'same-origin' })).toBe(false);
    expect(read({ 'sec-fetch-site': 'none' })).toBe(false);
    expect(read({})).toBe(false);
  });
  it('cannot come from another site or a sibling host', () => {
    expect(read({ 'sec-fetch-site': 'cross-site' })).toBe(true);
    expect(read({ 'sec-fetch-site': 'same-site' })).toBe(true);
  });
});

describe('a change', () => {
  it('needs evidence that it comes from the console', () => {
    expect(change({})).toBe(true);
    expect(change({ 'x-lockstep-console': 'user' })).toBe(false);
    expect(change({ 'sec-fetch-site': 'same-origin' })).toBe(false);
    expect(change({ origin: `https://${host}` })).toBe(false);
  });
  it('cannot come from another origin, whatever its other headers', () => {
    const ours = { 'x-lockstep-console': 'user' };
    expect(change({ ...ours, origin: 'https://evil.example' })).toBe(true);
    expect(change({ ...ours, origin: 'null' })).toBe(true);
    expect(change({ ...ours, origin: 'https://licenses.example' })).toBe(true);
    expect(change({ ...ours, 'sec-fetch-site': 'same-site' })).toBe(true);
    expect(change({ ...ours, 'sec-fetch-site': 'none' })).toBe(true);
  });
  it('can come from PUBLIC_URL, through a proxy that changes the host', () => {
    const publicUrl = 'https://public.example/lockstep';
    expect(change({ origin: 'https://public.example' }, publicUrl)).toBe(false);
    expect(change({ origin: 'http://public.example' }, publicUrl)).toBe(true);
  });
});
