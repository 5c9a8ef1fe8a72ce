import { describe, expect, it } from 'vitest';
import { readRedisAddress } from './redis-address.ts';

describe('readRedisAddress', () => {
  it.each([
    ...['redis://127.0.0.1', 'redis://:secret@redis:6379/1', 'rediss://user:p%40ss@redis', 'redis://[::1]:7000'],
    'redis://redis?cluster=false',
  ])('reads %s as one server', (url) => {
    expect(readRedisAddress(` ${url} `)).toEqual({ kind: 'server', url });
  });

  const node = (host: string, port: number) => ({ host, port });
  const plain = { kind: 'cluster', tls: false, username: '', password: '' };

  it.each([
    ['redis://a:7000,b:7001,c', [node('a', 7000), node('b', 7001), node('c', 6379)]],
    ['redis://config.example:7000?cluster=true', [node('config.example', 7000)]],
    ['redis://a,b/', [node('a', 6379), node('b', 6379)]],
    ['redis://a,b/0?cluster=true', [node('a', 6379), node('b', 6379)]],
    ['redis://[::1]:7000,[::2]', [node('::1', 7000), node('::2', 6379)]],
  ])('reads %s as a cluster', (url, nodes) => {
    expect(readRedisAddress(url)).toEqual({ ...plain, nodes });
  });

  it('gives every node of a cluster the same user and password, and TLS', () => {
    const nodes = [node('a', 7000), node('b', 7001)];
    expect(readRedisAddress('rediss://us%2Fer:p%40s%2Cs@a:7000,b:7001')).toEqual({
      kind: 'cluster',
      nodes,
      tls: true,
      username: 'us/er',
      password: 'p@s,s',
    });
    expect(readRedisAddress('redis://:p%25,ss@a:7000,b:7001')).toMatchObject({ username: '', password: 'p%,ss' });
  });

  it.each([
    ...['http://redis', 'redis://', 'redis://:hunter2@a:7000,:hunter2@b:7001'],
    ...['redis://:hunter2@a:7000,redis://b:7001', 'redis://:hunt/er2@a,b', 'redis://:hunter2%@a,b'],
    ...['redis://:hunter2@a:7000,,b', 'redis://:hunter2@a:70000,b', 'redis://:hunter2@a:7000,b/3'],
    ...['redis://:hunter2@a/3?cluster=true', 'redis://:hunter2@a,b?family=6', 'redis://:hunter2@a?cluster=yes'],
    'redis://:hunter2@a,b?cluster=false',
  ])('refuses %s', (url) => {
    expect(readRedisAddress(url)).toBeNull();
  });
});
