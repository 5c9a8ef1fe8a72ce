import { describe, expect, it } from 'vitest';
import { readRedisAddress } from './redis-address.ts';

describe('readRedisAddress', () => {
  it.each([
    'redis://127.0.0.1',
    'redis://:secret@redis:6379/1',
    'rediss://user:p%40ss@redis',
    'redis://[::1]:7000',
    'redis://redis?cluster=false',
  ])('reads %s as one server', (url) => {
    expect(readRedisAddress(` ${url} `)).toEqual({ address: { kind: 'server', url } });
  });

  const plain = { kind: 'cluster', tls: false, username: null, password: null };

  it.each([
    [
      'redis://a:7000,b:7001,c',
      [
        { host: 'a', port: 7000 },
        { host: 'b', port: 7001 },
        { host: 'c', port: 6379 },
      ],
    ],
    ['redis://config.example:7000?cluster=true', [{ host: 'config.example', port: 7000 }]],
    [
      'redis://a,b/',
      [
        { host: 'a', port: 6379 },
        { host: 'b', port: 6379 },
      ],
    ],
    [
      'redis://a,b/0?cluster=true',
      [
        { host: 'a', port: 6379 },
        { host: 'b', port: 6379 },
      ],
    ],
    [
      'redis://[::1]:7000,[::2]',
      [
        { host: '::1', port: 7000 },
        { host: '::2', port: 6379 },
      ],
    ],
  ])('reads %s as a cluster', (url, nodes) => {
    expect(readRedisAddress(url)).toEqual({ address: { ...plain, nodes } });
  });

  it('gives every node of a cluster the same user and password, and TLS', () => {
    const nodes = [
      { host: 'a', port: 7000 },
      { host: 'b', port: 7001 },
    ];
    expect(readRedisAddress('rediss://us%2Fer:p%40s%2Cs@a:7000,b:7001')).toEqual({
      address: { kind: 'cluster', nodes, tls: true, username: 'us/er', password: 'p@s,s' },
    });
    expect(readRedisAddress('redis://:p%25,ss@a:7000,b:7001')).toMatchObject({
      address: { username: null, password: 'p%,ss' },
    });
  });

  it.each([
    ['http://redis', 'must be redis://:password@host:port, or rediss:// for TLS'],
    ['redis://', 'must be redis://:password@host:port'],
    ['redis://:hunter2@a:7000,:hunter2@b:7001', 'a cluster is redis://:password@host1:port,host2:port'],
    ['redis://:hunter2@a:7000,redis://b:7001', 'a cluster is redis://:password@host1:port,host2:port'],
    ['redis://:hunt/er2@a,b', 'with / ? # and @ in user and password written as %2F %3F %23 and %40'],
    ['redis://:hunter2%@a,b', 'with / ? # and @ in user and password written as %2F %3F %23 and %40'],
    ['redis://:hunter2@a:7000,,b', 'a cluster is redis://:password@host1:port,host2:port'],
    ['redis://:hunter2@a:70000,b', 'a cluster is redis://:password@host1:port,host2:port'],
    ['redis://:hunter2@a:7000,b/3', 'must have no number of a database: a cluster has one only'],
    ['redis://:hunter2@a/3?cluster=true', 'must have no number of a database'],
    ['redis://:hunter2@a,b?family=6', 'must have no other option than cluster=true for a cluster'],
    ['redis://:hunter2@a?cluster=yes', 'may say cluster=true or cluster=false'],
    ['redis://:hunter2@a,b?cluster=false', 'names several hosts, which only a cluster has'],
  ])('refuses %s, says what to write and quotes nothing', (url, message) => {
    const { fault } = readRedisAddress(url);
    expect(fault).toContain(message);
    expect(fault).not.toContain('hunter2');
  });
});
