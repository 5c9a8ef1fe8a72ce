import { isIPv6 } from 'node:net';
import type { QueueBackend } from '@lockstep/platform';
import { REDIS_ADDRESS_RULE, readRedisAddress } from '@lockstep/platform/redis-address';
import { z } from 'zod';
import { readDataDir } from './data-dir.ts';

function wholeNumber(least: number, most: number) {
  const rule = `must be ${least} to ${most}`;
  return z
    .string()
    .trim()
    .regex(/^\d{1,9}$/, { error: rule, abort: true })
    .transform(Number)
    .refine((number) => number >= least && number <= most, rule);
}

function oneOf<const Words extends readonly string[]>(words: Words) {
  return z.enum(words, { error: `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}` });
}

const trueOrFalse = oneOf(['true', 'false'])
  .default('false')
  .transform((word) => word === 'true');
const databaseUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'must be postgres://user:password@host:port/database; write / ? # @ in user and password as %2F %3F %23 %40',
});
const port = wholeNumber(0, 65_535);
/** A name or address without a port. */
const host = z
  .string()
  .trim()
  .refine((text) => isIPv6(text) || /^[^\s:/]+$/.test(text), {
    error: 'must be one name or address of this machine, such as 127.0.0.1, or 0.0.0.0 for all; set the port with PORT',
  });
const publicUrl = z.string().transform((value, context) => {
  const url = URL.parse(value.trim());
  const fault = faultOfPublicUrl(url);
  if (fault !== null) context.issues.push({ code: 'custom', message: fault, input: value });
  return url === null ? z.NEVER : url.origin + pathOf(url);
});
const otlpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address, such as http://a:4318' });
const share = z.coerce.number('must be 0 to 1').refine((part) => part >= 0 && part <= 1, 'must be 0 to 1');
const SAMPLERS = [
  ...(['always_on', 'always_off', 'traceidratio'] as const),
  ...(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const),
] as const;
const redisUrl = z.string().refine((value) => readRedisAddress(value) !== null, REDIS_ADDRESS_RULE);
const issuer = z.string().trim().refine(isIssuer, 'must be an https address without user, ? or #');
const roles = z.string().transform((text, context) => {
  const pairs = text.split(',').map((pair) => /^\s*(viewer|support|admin)\s*=\s*(\S(?:.*\S)?)\s*$/.exec(pair));
  if (pairs.every((pair) => pair !== null))
    return pairs.map(([, role, group]) => ({ role: role as 'viewer' | 'support' | 'admin', group: group! }));
  context.issues.push({ code: 'custom', message: `must be ROLE=GROUP,…, ${ROLES_EXAMPLE}`, input: text });
  return z.NEVER;
});

/**
 * The environment variables of all processes (rules 9; docs/deployment.md lists them). Commands that call the API
 * declare their variables with their options.
 */
const environment = z.object({
  DATABASE_URL: databaseUrl.optional(),
  REDIS_URL: redisUrl.optional(),
  DATA_DIR: z.preprocess((given) => readDataDir({ DATA_DIR: given as string | undefined }), z.string()),
  HOST: host.default('127.0.0.1'),
  PORT: port.default(8080),
  /** The address at which clients reach the service. If absent, answers name no host. */
  PUBLIC_URL: publicUrl.optional(),
  /** Determines the first digit of asset numbers (rules 7). */
  REGION: oneOf(['domestic', 'overseas']).default('domestic'),
  WORKER_PORT: port.optional(),
  WORKER_DRAINS: wholeNumber(1, 16).default(4),
  DATABASE_POOL: wholeNumber(2, 200).default(10),
  /** The maximum of pending orders of an application (rules 6.2). */
  MAX_PENDING_ORDERS: wholeNumber(1, 100_000_000).default(2_000_000),
  /** How long the content of failed orders is kept (rules 6.7). */
  FAILED_ORDER_DAYS: wholeNumber(1, 3_650).default(30),
  /** How long events and webhook deliveries are kept (rules 6.8): longer than a delivery is retried. */
  EVENT_DAYS: wholeNumber(4, 3_650).default(30),
  /** Whether webhooks may use private addresses and http (rules 6.8). */
  WEBHOOK_ALLOW_PRIVATE: trueOrFalse,
  /** The provider by which operators log in (rules 9 Logins by a provider). */
  OIDC_ISSUER: issuer.optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_ROLES: roles.optional(),
  OIDC_GROUPS_CLAIM: z.string().default('groups'),
  PASSWORD_LOGIN: oneOf(['on', 'off']).default('on'),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).optional(),
  /** Where traces go, and which are recorded (rules 1.4). The exporter reads further variables of OpenTelemetry. */
  OTEL_EXPORTER_OTLP_ENDPOINT: otlpUrl.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: otlpUrl.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.literal('http/protobuf', 'must be http/protobuf').default('http/protobuf'),
  OTEL_SDK_DISABLED: trueOrFalse,
  OTEL_TRACES_SAMPLER: oneOf(SAMPLERS).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: share.default(1),
});

type Variables = Omit<z.infer<typeof environment>, 'PUBLIC_URL'>;

export type Config = Variables & {
  /** PUBLIC_URL without a trailing slash; null if it is absent. */
  publicUrl: string | null;
  /** Null if operators log in by password only. */
  oidc: OidcConfig | null;
};

/** Variables whose values messages never repeat, because they may contain a password. */
const NEVER_SHOWN = [
  ...['DATABASE_URL', 'REDIS_URL', 'PUBLIC_URL', 'OIDC_ISSUER', 'OIDC_CLIENT_SECRET'],
  ...['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'],
];
const MAX_SHOWN_CHARACTERS = 40;

/** Reads the configuration. @throws Error that names each invalid variable, its rule and its value */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  // An empty variable counts as absent.
  const given = Object.keys(environment.shape).flatMap((name) => (env[name]?.trim() ? [[name, env[name]]] : []));
  const result = environment.safeParse(Object.fromEntries(given));
  if (result.success) {
    const { PUBLIC_URL: publicUrl = null, ...config } = result.data;
    return { ...config, publicUrl, oidc: readOidc(config, publicUrl) };
  }
  const faults = result.error.issues.map(({ path, message }) => {
    const name = path.join('.');
    const value = NEVER_SHOWN.includes(name) ? '' : `, not ${env[name]?.slice(0, MAX_SHOWN_CHARACTERS)}`;
    return `${name} ${message}${value}`;
  });
  throw new Error(`Invalid environment: ${faults.join('; ')}`);
}

/** How operators log in by a provider. */
export type OidcConfig = NonNullable<ReturnType<typeof readOidc>>;

/** Returns how operators log in by a provider; null if they don't. Throws an Error that names what is missing. */
function readOidc(config: Variables, publicUrl: string | null) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret, OIDC_ROLES: roles } = config;
  if (issuer === undefined) {
    if (config.PASSWORD_LOGIN === 'on') return null;
    throw new Error('Invalid environment: PASSWORD_LOGIN=off needs OIDC_ISSUER; otherwise, operators could not log in');
  }
  if (clientId !== undefined && clientSecret !== undefined && roles !== undefined && publicUrl !== null)
    return { issuer, clientId, clientSecret, roles, groupsClaim: config.OIDC_GROUPS_CLAIM, publicUrl };
  throw new Error(
    'Invalid environment: OIDC_ISSUER needs OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_ROLES and PUBLIC_URL',
  );
}

/** The configuration of a process, with the address of its database. */
export type DeploymentConfig = Config & { DATABASE_URL: string };

/** Reads the configuration of a process that needs DATABASE_URL (rules 9). Throws like readConfig. */
export function readDeploymentConfig(env: NodeJS.ProcessEnv): DeploymentConfig {
  const config = readConfig(env);
  const { DATABASE_URL } = config;
  if (DATABASE_URL === undefined)
    throw new Error('DATABASE_URL is not set. To run everything on one machine, use npm start.');
  return { ...config, DATABASE_URL };
}

/** Reads a process's configuration. If it is invalid, prints why in one line and exits with status 1. */
export function configOrExit<Read extends Config>(read: (env: NodeJS.ProcessEnv) => Read): Read {
  try {
    return read(process.env);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  }
}

/** Chooses the queue's backend: Redis if REDIS_URL is set, otherwise the database. */
export function chooseQueueBackend({ REDIS_URL }: Config, databaseUrl: string): QueueBackend {
  return REDIS_URL === undefined ? { kind: 'postgres', url: databaseUrl } : { kind: 'redis', url: REDIS_URL };
}

const ROLES_EXAMPLE = 'such as admin=lockstep-admins,support=help desk, with the roles viewer, support and admin';

/** Whether a text is an issuer: https, or http on this machine. */
function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || /[?#]/.test(url.href)) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.includes(url.hostname));
}
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

const EXAMPLE = 'such as https://licenses.example.com or https://example.com/lockstep';

/** The path prefix that a proxy removes, without trailing slashes. */
const pathOf = ({ pathname }: URL) => pathname.replace(/\/+$/, '');

/**
 * Returns the rule that a public address breaks; null if it breaks none. It is http or https, a host, and a path
 * prefix. Refuses a user, password, query or fragment, because answers and the API description publish the address. The
 * fault quotes nothing.
 */
function faultOfPublicUrl(url: URL | null): string | null {
  if (url === null || !/^https?:$/.test(url.protocol)) return `must be an http or https address, ${EXAMPLE}`;
  if (url.username !== '' || url.password !== '') {
    return 'must not contain a user or password, because the API description publishes it';
  }
  if (/[?#]/.test(url.href)) return `must not contain ? or #, ${EXAMPLE}`;
  // Clients would take the part after two slashes for a host.
  return pathOf(url).includes('//') ? `must not contain // in its path, ${EXAMPLE}` : null;
}

/** Explains why a process cannot listen, by Node.js's error codes. */
const LISTEN_FAULTS: Record<string, (host: string, port: number, portVariable: string) => string> = {
  EADDRINUSE: (host, port, variable) => `${host}:${port} is in use. Set ${variable} to another port.`,
  EACCES: (_, port, variable) => `Port ${port} requires privileges. Set ${variable} to 1024 or more.`,
  EADDRNOTAVAIL: (host) => `${host} is not an address of this machine. Set HOST to one that is, or to 0.0.0.0 for all.`,
  ENOTFOUND: (host) => `HOST is ${host}, which DNS cannot resolve. Set it to an address, such as 127.0.0.1.`,
  EAI_AGAIN: (host) => `HOST is ${host}, but DNS does not respond. Set it to an address, such as 127.0.0.1.`,
};

/**
 * Returns an Error that says in one line why a process cannot listen and which variable to change. Returns any other
 * error unchanged.
 */
export function explainListenFault(error: unknown, host: string, port: number, portVariable = 'PORT'): unknown {
  const explain = LISTEN_FAULTS[(error as NodeJS.ErrnoException).code ?? ''];
  return explain === undefined ? error : new Error(explain(host, port, portVariable), { cause: error });
}
