import { describe, expect, it } from 'vitest';
import { readConfig, readDeploymentConfig } from './config.ts';

describe('readConfig', () => {
  const defaults = {
    ...{ DATA_DIR: '.lockstep', HOST: '127.0.0.1', PORT: 8080, REGION: 'domestic', WORKER_DRAINS: 2 },
    DATABASE_POOL: 10,
    publicUrl: null,
  };

  it('needs nothing', () => {
    expect(readConfig({})).toEqual(defaults);
  });

  it('takes an empty variable as absent', () => {
    const names = [...Object.keys(defaults), 'PUBLIC_URL', 'DATABASE_URL', 'REDIS_URL', 'WORKER_PORT', 'LOG_LEVEL'];
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
      publicUrl: null,
    });
  });

  it.each(['domestic', 'overseas'])('takes the region %s', (REGION) => {
    expect(readConfig({ REGION })).toMatchObject({ REGION });
  });

  it.each([
    ['https://licences.example.com', 'https://licences.example.com'],
    ['https://licences.example.com/', 'https://licences.example.com'],
    [' HTTP://Example.COM:80/lock step/v1// ', 'http://example.com/lock%20step/v1'],
    ['http://[::1]:8080/../a/', 'http://[::1]:8080/a'],
  ])('takes PUBLIC_URL=%s as %s', (PUBLIC_URL, publicUrl) => {
    expect(readConfig({ PUBLIC_URL })).toMatchObject({ publicUrl });
  });

  it.each([
    ['licences.example.com', 'must be an http or https address, such as https://'],
    ['//licences.example.com', 'must be an http or https address, such as https://'],
    ['ftp://licences.example.com', 'must be an http or https address, such as https://'],
    ['javascript:alert(1)', 'must be an http or https address, such as https://'],
    ['https://', 'must be an http or https address, such as https://'],
    ['https://user@example.com', 'must hold no user and no password'],
    ['https://:hidden@example.com', 'must hold no user and no password'],
    ['https://example.com/a?tenant=1', 'must end with its path, without ? and #'],
    ['https://example.com/a?', 'must end with its path, without ? and #'],
    ['https://example.com/#top', 'must end with its path, without ? and #'],
    ['https://example.com//evil.example', 'must have one slash between the parts of its path'],
    ['https://example.com/\\evil.example', 'must have one slash between the parts of its path'],
  ])('refuses PUBLIC_URL=%s and says what to write', (PUBLIC_URL, message) => {
    expect(() => readConfig({ PUBLIC_URL })).toThrow(`PUBLIC_URL: ${message}`);
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
