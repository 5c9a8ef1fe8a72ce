import { describe, expect, it } from 'vitest';
import { readConfig, readDeploymentConfig } from './config.ts';

describe('readConfig', () => {
  const defaults = {
    ...{ DATA_DIR: '.lockstep', HOST: '127.0.0.1', PORT: 8080, REGION: 'domestic', WORKER_DRAINS: 2 },
    DATABASE_POOL: 10,
  };

  it('needs nothing', () => {
    expect(readConfig({})).toEqual(defaults);
  });

  it('takes an empty variable as absent', () => {
    const names = [...Object.keys(defaults), 'DATABASE_URL', 'REDIS_URL', 'WORKER_PORT', 'LOG_LEVEL'];
    expect(readConfig(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(defaults);
  });

  it('reads what is set and passes over what it does not know', () => {
    const env = {
      DATABASE_URL: 'postgres://user:pass@db:5432/lockstep',
      REDIS_URL: 'rediss://:pass@redis:6379/1',
      DATA_DIR: '/data',
      HOST: '0.0.0.0',
      LOG_LEVEL: 'debug',
      REGION: 'overseas',
    };
    const numbers = { PORT: '0', WORKER_PORT: '9090', WORKER_DRAINS: '4', DATABASE_POOL: '20' };
    expect(readConfig({ ...env, ...numbers, PATH: '/bin' })).toEqual({
      ...env,
      ...{ PORT: 0, WORKER_PORT: 9090, WORKER_DRAINS: 4, DATABASE_POOL: 20 },
    });
  });

  it.each(['domestic', 'overseas'])('takes the region %s', (REGION) => {
    expect(readConfig({ REGION })).toMatchObject({ REGION });
  });

  it.each([
    ['DATABASE_URL', 'mysql://db/lockstep'],
    ['DATABASE_URL', 'no url'],
    ['REDIS_URL', 'http://redis'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PORT', 'http'],
    ['WORKER_PORT', '99999'],
    ['WORKER_DRAINS', '0'],
    ['WORKER_DRAINS', '17'],
    ['DATABASE_POOL', '1'],
    ['LOG_LEVEL', 'loud'],
    ['REGION', 'abroad'],
    ['REGION', 'Domestic'],
    ['REGION', '8'],
  ])('refuses %s=%s and names it', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`not usable.*\\b${name}: `));
  });

  it('names every variable that is wrong, and quotes no value', () => {
    const env = { DATABASE_URL: 'mysql://user:secret@db', PORT: 'secret', LOG_LEVEL: 'secret' };
    const read = () => readConfig(env);
    expect(read).toThrow(/DATABASE_URL: .*PORT: .*LOG_LEVEL: /);
    expect(read).not.toThrow(/secret/);
  });
});

describe('readDeploymentConfig', () => {
  it('reads the same', () => {
    const env = { DATABASE_URL: 'postgresql://db/lockstep' };
    expect(readDeploymentConfig(env)).toEqual(readConfig(env));
  });

  it.each([undefined, ''])('refuses to go without a database: %j', (DATABASE_URL) => {
    expect(() => readDeploymentConfig({ DATABASE_URL })).toThrow('DATABASE_URL is not set');
  });
});
