import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';
import { findHostsFault, nameHost, readHosts, withoutSessionName } from './database-hosts.ts';

describe('readHosts', () => {
  it('gives each host a URL of its own, with user, password, database and parameters', () => {
    expect(readHosts('postgres://me:a%2Cb@db-1:5433,db-2/orders?sslmode=verify-full')).toEqual([
      { name: 'db-1:5433', host: 'db-1', port: 5433, url: 'postgres://me:a%2Cb@db-1:5433/orders?sslmode=verify-full' },
      { name: 'db-2:5432', host: 'db-2', port: 5432, url: 'postgres://me:a%2Cb@db-2/orders?sslmode=verify-full' },
    ]);
  });

  it('takes a comma in the password for what it is', () => {
    const hosts = readHosts('postgres://me:a,b@db-1,db-2:7/orders');
    expect(hosts.map(({ url }) => url)).toEqual(['postgres://me:a,b@db-1/orders', 'postgres://me:a,b@db-2:7/orders']);
    expect(readHosts('postgres://me:a,b@db-1/orders')).toEqual([]);
  });

  it('reads addresses of both kinds', () => {
    const hosts = readHosts('postgresql://[::1]:5433,[fe80::2],127.0.0.1/orders');
    expect(hosts.map(({ host, port }) => [host, port])).toEqual([
      ['::1', 5433],
      ['fe80::2', 5432],
      ['127.0.0.1', 5432],
    ]);
  });

  it.each([
    'postgres://user:pass@db:5432/lockstep',
    'postgres:///lockstep?host=/run/postgresql',
    'postgres://db/lockstep?options=-c%20a=1,b',
  ])('leaves a URL of one host to the driver: %s', (url) => {
    expect(readHosts(url)).toEqual([]);
    expect(findHostsFault(url)).toBeNull();
  });
});

describe('nameHost', () => {
  it.each([
    ['postgres://me:secret@db-1:5433/orders', 'db-1:5433'],
    ['postgres://me:secret@db-1/orders', 'db-1:5432'],
    ['postgres://[::1]/orders', '[::1]:5432'],
    ['postgres:///orders', 'localhost:5432'],
    ['postgres:///orders?host=/run/postgresql', '/run/postgresql'],
  ])('names the host of %s', (url, name) => {
    expect(nameHost(url)).toBe(name);
  });
});

describe('withoutSessionName', () => {
  it.each([
    ['postgres://db/lockstep?application_name=shop', 'postgres://db/lockstep?'],
    [
      'postgres://u:p@a,b/lockstep?application%5Fname=shop&sslmode=require',
      'postgres://u:p@a,b/lockstep?sslmode=require',
    ],
    ['postgres://db/lockstep?options=-c%20a=1', 'postgres://db/lockstep?options=-c%20a=1'],
    ['postgres:///lockstep?host=/run/postgresql', 'postgres:///lockstep?host=/run/postgresql'],
    ['postgres://db/application_name=shop', 'postgres://db/application_name=shop'],
  ])('leaves all of %s but the name of sessions', (url, left) => {
    expect(withoutSessionName(url)).toBe(left);
  });
});

describe('DATABASE_URL with several hosts', () => {
  it('is accepted as it is', () => {
    const DATABASE_URL = 'postgres://user:pass@db-1:5432,db-2:5433,db-3/lockstep?sslmode=verify-full';
    expect(readConfig({ DATABASE_URL })).toMatchObject({ DATABASE_URL });
  });

  it.each([
    ['postgres://db-1,,db-2/lockstep', 'must name a host before and behind each comma'],
    ['postgres://db-1,/lockstep', 'must name a host before and behind each comma'],
    ['postgres://db-1,db-2,db-1:5432/lockstep', 'must name each host once, and names db-1:5432 again'],
    ['postgres://db-1,db-2/lockstep?host=db-3', 'and not in the parameter host as well'],
    ['postgres://db%zz,db-2/lockstep', 'DATABASE_URL must have no % in its hosts'],
    ['postgres://db-1,db-2:99999/lockstep', 'several hosts are host:port,host:port'],
    ['postgres://user:a/b@db-1,db-2/lockstep', 'must be postgres://user:password@host:port/database'],
  ])('is refused, with what it must be: %s', (DATABASE_URL, message) => {
    expect(() => readConfig({ DATABASE_URL })).toThrow(message);
  });
});
