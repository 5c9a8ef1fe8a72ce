import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { nameSystemUser } from './operator.ts';

const nameOf = (username: string, host = 'db-1') =>
  nameSystemUser({ userInfo: () => ({ username }), hostname: () => host, getuid: () => 1 });

it('names the user and the host of this process', () => {
  expect(nameSystemUser()).toMatch(/^[^@]+@/);
  expect(nameSystemUser().endsWith(`@${hostname()}`)).toBe(true);
});

it('names the uid of a user without a name', () => {
  const userInfo = () => {
    throw new Error('ENOENT: no such file or directory, uv_os_get_passwd');
  };
  expect(nameSystemUser({ userInfo, hostname: () => 'db-1', getuid: () => 10_001 })).toBe('uid-10001@db-1');
  expect(nameSystemUser({ userInfo, hostname: () => 'db-1', getuid: undefined })).toBe('uid-unknown@db-1');
});

it('is short, and holds nothing that a terminal or a page would interpret', () => {
  expect(nameOf('a\u001b[31m\n\u0000\u202e\u2028b')).toBe('a?[31m????b@db-1');
  expect(nameOf('u'.repeat(500), 'h'.repeat(500))).toHaveLength(64 + 1 + 180);
  // A surrogate pair is cut in two.
  expect(nameOf(`${'u'.repeat(63)}😀`)).toBe(`${'u'.repeat(63)}?@db-1`);
});
