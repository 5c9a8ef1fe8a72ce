import { expect, it } from 'vitest';
import { hideMobile } from './audit-log.ts';

it.each([
  ['13800001111', '•••••••1111'],
  ['12345', '•2345'],
  ['1234', '••••'],
  ['12', '••'],
])('hides %s as %s', (mobile, hidden) => {
  expect(hideMobile(mobile)).toBe(hidden);
});
