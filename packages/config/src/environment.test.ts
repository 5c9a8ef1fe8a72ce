import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { explainListenFault, readConfig, readDeploymentConfig } from './environment.ts';

describe('readConfig', () => {
  const defaults = {
    DATA_DIR: '.lockstep',
    HOST: '127.0.0.1',
    PORT: 8080,
    REGION: 'domestic',
    WORKER_DRAINS: 4,
    DATABASE_POOL: 10,
    MAX_PENDING_ORDERS: 2_000_000,
    FAILED_ORDER_DAYS: 30,
    EVENT_DAYS: 30,
    WEBHOOK_ALLOW_PRIVATE: false,
    OIDC_GROUPS_CLAIM: 'groups',
    PASSWORD_LOGIN: 'on',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_SDK_DISABLED: false,
    OTEL_TRACES_SAMPLER: 'parentbased_always_on',
    OTEL_TRACES_SAMPLER_ARG: 1,
    publicUrl: null,
    oidc: null,
  };

  it('needs no variable', () => {
    expect(readConfig({})).toEqual(defaults);
  });

  it('treats an empty variable as absent', () => {
    const optional = 'PUBLIC_URL DATABASE_URL REDIS_URL WORKER_PORT LOG_LEVEL OIDC_ISSUER OIDC_CLIENT_ID';
    const names = [...Object.keys(defaults), ...optional.split(' '), 'OIDC_CLIENT_SECRET', 'OIDC_ROLES'];
    expect(readConfig(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(defaults);
  });

  it('reads the variables that are set and ignores unknown ones', () => {
    const env = {
      DATABASE_URL: 'postgres://user:pass@db:5432/lockstep',
      REDIS_URL: 'rediss://:pass@redis:6379/1',
      DATA_DIR: '/data',
      HOST: '0.0.0.0',
      LOG_LEVEL: 'debug',
      REGION: 'overseas',
    };
    const numbers = {
      PORT: '0',
      WORKER_PORT: '9090',
      WORKER_DRAINS: '6',
      DATABASE_POOL: '20',
      MAX_PENDING_ORDERS: '50000',
    };
    const days = { FAILED_ORDER_DAYS: '1', EVENT_DAYS: '4' };
    expect(readConfig({ ...env, ...numbers, ...days, WEBHOOK_ALLOW_PRIVATE: 'true', PATH: '/bin' })).toEqual({
      ...defaults,
      ...env,
      PORT: 0,
      WORKER_PORT: 9090,
      WORKER_DRAINS: 6,
      DATABASE_POOL: 20,
      MAX_PENDING_ORDERS: 50_000,
      FAILED_ORDER_DAYS: 1,
      EVENT_DAYS: 4,
      WEBHOOK_ALLOW_PRIVATE: true,
    });
  });

  const oidc = {
    PUBLIC_URL: 'https://licenses.example.com',
    OIDC_ISSUER: 'https://sso.example.com/realm',
    OIDC_CLIENT_ID: 'lockstep',
    OIDC_CLIENT_SECRET: 'hidden',
    OIDC_ROLES: ' admin=lockstep-admins, support = help desk=1 ,viewer=/staff ',
  };

  it('reads the login provider', () => {
    expect(readConfig({ ...oidc, PASSWORD_LOGIN: 'off' })).toMatchObject({
      PASSWORD_LOGIN: 'off',
      oidc: {
        issuer: 'https://sso.example.com/realm',
        clientId: 'lockstep',
        clientSecret: 'hidden',
        groupsClaim: 'groups',
        publicUrl: 'https://licenses.example.com',
        roles: [
          { role: 'admin', group: 'lockstep-admins' },
          { role: 'support', group: 'help desk=1' },
          { role: 'viewer', group: '/staff' },
        ],
      },
    });
    expect(readConfig({ ...oidc, OIDC_ISSUER: 'http://localhost:9000' })).toMatchObject({ PASSWORD_LOGIN: 'on' });
  });

  it.each([
    ['OIDC_ISSUER', 'http://sso.example.com'],
    ['OIDC_ISSUER', 'https://hidden:hidden@sso.example.com'],
    ['OIDC_ISSUER', 'https://sso.example.com/?hidden'],
    ['OIDC_ROLES', 'lockstep-admins'],
    ['OIDC_ROLES', 'admin='],
    ['OIDC_ROLES', 'root=a'],
    ['OIDC_ROLES', ''],
    ['OIDC_CLIENT_SECRET', ''],
    ['PUBLIC_URL', ''],
    ['PASSWORD_LOGIN', 'false'],
  ])('refuses the login provider with %s=%s', (name, value) => {
    expect(() => readConfig({ ...oidc, [name]: value })).toThrow(name);
    expect(() => readConfig({ ...oidc, [name]: value })).not.toThrow('hidden');
  });

  it('refuses to switch all logins off', () => {
    expect(() => readConfig({ PASSWORD_LOGIN: 'off' })).toThrow('OIDC_ISSUER');
  });

  it.each([
    ['https://licenses.example.com', 'https://licenses.example.com'],
    ['https://licenses.example.com/', 'https://licenses.example.com'],
    [' HTTP://Example.COM:80/lock step/v1// ', 'http://example.com/lock%20step/v1'],
    ['http://[::1]:8080/../a/', 'http://[::1]:8080/a'],
  ])('takes PUBLIC_URL=%s as %s', (PUBLIC_URL, publicUrl) => {
    expect(readConfig({ PUBLIC_URL })).toMatchObject({ publicUrl });
  });

  it.each([
    ...['licenses.example.com', '//licenses.example.com', 'ftp://licenses.example.com', 'javascript:alert(1)'],
    ...['https://', 'https://user@example.com', 'https://:hidden@example.com', 'https://example.com/a?tenant=1'],
    ...['https://example.com/a?', 'https://example.com/#top', 'https://example.com//evil.example'],
    'https://example.com/\\evil.example',
  ])('refuses PUBLIC_URL=%s', (PUBLIC_URL) => {
    expect(() => readConfig({ PUBLIC_URL })).toThrow('PUBLIC_URL');
  });

  const DATABASE_RULE = 'DATABASE_URL must be postgres://';
  const REDIS_RULE = 'REDIS_URL must be redis://';
  const LEVELS = 'trace, debug, info, warn, error, fatal or silent';

  it.each([
    ['DATABASE_URL', 'mysql://db/lockstep', DATABASE_RULE],
    ['DATABASE_URL', 'no url', DATABASE_RULE],
    ['DATABASE_URL', 'postgres://user:a/b#c@db/lockstep', DATABASE_RULE],
    ['REDIS_URL', 'http://redis', REDIS_RULE],
    ['REDIS_URL', 'redis://a:7000,b:7001/2', 'REDIS_URL'],
    ['HOST', '0.0.0.0:8080', 'HOST must'],
    ['HOST', 'http://localhost', 'not http://localhost'],
    ['PORT', '65536', 'PORT must be 0 to 65535, not 65536'],
    ['PORT', '-1', 'PORT must be 0 to 65535, not -1'],
    ['PORT', '80.5', 'PORT must be 0 to 65535, not 80.5'],
    ['PORT', 'abc', 'PORT must be 0 to 65535, not abc'],
    ['PORT', '0x50', 'PORT must be 0 to 65535, not 0x50'],
    ['WORKER_PORT', '99999', 'WORKER_PORT must be 0 to 65535, not 99999'],
    ['WORKER_DRAINS', '0', 'WORKER_DRAINS must be 1 to 16, not 0'],
    ['WORKER_DRAINS', '17', 'WORKER_DRAINS must be 1 to 16, not 17'],
    ['DATABASE_POOL', '1', 'DATABASE_POOL must be 2 to 200, not 1'],
    ['DATABASE_POOL', '9'.repeat(99), `DATABASE_POOL must be 2 to 200, not ${'9'.repeat(40)}`],
    ['FAILED_ORDER_DAYS', '0', 'FAILED_ORDER_DAYS must be 1 to 3650, not 0'],
    ['FAILED_ORDER_DAYS', '1.5', 'FAILED_ORDER_DAYS must be 1 to 3650, not 1.5'],
    ['EVENT_DAYS', '3', 'EVENT_DAYS must be 4 to 3650, not 3'],
    ['EVENT_DAYS', '3651', 'EVENT_DAYS must be 4 to 3650, not 3651'],
    ['EVENT_DAYS', 'never', 'EVENT_DAYS must be 4 to 3650, not never'],
    ['WEBHOOK_ALLOW_PRIVATE', 'yes', 'WEBHOOK_ALLOW_PRIVATE must be true or false, not yes'],
    ['LOG_LEVEL', 'loud', `LOG_LEVEL must be ${LEVELS}, not loud`],
    ['REGION', 'abroad', 'REGION must be domestic or overseas, not abroad'],
    ['REGION', 'Domestic', 'REGION must be domestic or overseas, not Domestic'],
    ['REGION', '8', 'REGION must be domestic or overseas, not 8'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318', 'OTEL_EXPORTER_OTLP_ENDPOINT must'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'must be http/protobuf, not grpc'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote', 'OTEL_TRACES_SAMPLER must be'],
    ['OTEL_TRACES_SAMPLER_ARG', 'few', 'OTEL_TRACES_SAMPLER_ARG must be 0 to 1, not few'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.1', 'OTEL_TRACES_SAMPLER_ARG must be 0 to 1, not 1.1'],
  ])('refuses %s=%s and says what it must be', (name, value, message) => {
    expect(() => readConfig({ [name]: value })).toThrow(message);
    expect(() => readConfig({ [name]: value })).toThrow(/^[^\n]*$/);
  });

  it.each(['127.0.0.1', '::', '::1', 'localhost', 'db-1.example'])('accepts HOST=%s', (HOST) => {
    expect(readConfig({ HOST })).toMatchObject({ HOST });
  });

  it('reports what every wrong variable must be, and repeats no value that may hold a password', () => {
    const env = { DATABASE_URL: 'mysql://user:hunter2@db', REDIS_URL: 'http://:hunter2@redis', PORT: 'abc' };
    const read = () => readConfig({ ...env, PUBLIC_URL: 'https://user:hunter2@example.com' });
    expect(read).toThrow(/DATABASE_URL must .*REDIS_URL must .*PORT must be 0 to 65535, not abc; PUBLIC_URL must /);
    expect(read).not.toThrow(/hunter2/);
  });
});

describe('readDeploymentConfig', () => {
  it('reads the same configuration', () => {
    const env = { DATABASE_URL: 'postgresql://db/lockstep' };
    expect(readDeploymentConfig(env)).toEqual(readConfig(env));
  });

  it.each([undefined, ''])('throws without a DATABASE_URL: %j', (DATABASE_URL) => {
    expect(() => readDeploymentConfig({ DATABASE_URL })).toThrow('DATABASE_URL');
  });
});

/** Returns Node.js's error if a process cannot listen there. */
async function faultOf(host: string, port: number): Promise<unknown> {
  const [error] = await once(createServer().listen(port, host), 'listening').then(
    () => [],
    (thrown: unknown) => [thrown],
  );
  return error;
}

describe('explainListenFault', () => {
  it('names a port that is in use, and the variable to change', async () => {
    const other = createServer();
    await once(other.listen(0, '127.0.0.1'), 'listening');
    const { port } = other.address() as AddressInfo;
    const error = await faultOf('127.0.0.1', port);
    other.close();
    const { message } = explainListenFault(error, '127.0.0.1', port, 'WORKER_PORT') as Error;
    expect(message).toContain(`127.0.0.1:${port}`);
    expect(message).toContain('WORKER_PORT');
  });

  it.each([
    ['203.0.113.1', '203.0.113.1'],
    ['nowhere.invalid', 'HOST is nowhere.invalid'],
  ])('names HOST=%s, on which no process can listen', async (host, named) => {
    const fault = explainListenFault(await faultOf(host, 0), host, 0) as Error;
    expect(fault.message).toContain(named);
    expect(fault.message).toContain('HOST');
  });

  it('returns any other error unchanged', () => {
    const error = new Error('another');
    expect(explainListenFault(error, '127.0.0.1', 8080)).toBe(error);
  });
});
