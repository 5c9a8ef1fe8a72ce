import { z } from 'zod';
import { readPublicUrl } from './public-url.ts';

const port = z.coerce.number().int().min(0).max(65_535);
const publicUrl = z.string().transform((value, context) => {
  const { url, fault } = readPublicUrl(value);
  if (fault !== undefined) context.issues.push({ code: 'custom', message: fault, input: value });
  return url ?? z.NEVER;
});
const absentWhenEmpty = (value: unknown) => (typeof value === 'string' && value.trim() === '' ? undefined : value);

/** Every environment variable that Lockstep reads (decisions 9; docs/operations.md lists them). */
const environment = z.object({
  DATABASE_URL: z.preprocess(absentWhenEmpty, z.url({ protocol: /^postgres(ql)?$/ }).optional()),
  REDIS_URL: z.preprocess(absentWhenEmpty, z.url({ protocol: /^rediss?$/ }).optional()),
  DATA_DIR: z.preprocess(absentWhenEmpty, z.string().default('.lockstep')),
  HOST: z.preprocess(absentWhenEmpty, z.string().default('127.0.0.1')),
  PORT: z.preprocess(absentWhenEmpty, port.default(8080)),
  /** Where clients find the service; without it answers name no host. */
  PUBLIC_URL: z.preprocess(absentWhenEmpty, publicUrl.optional()),
  /** The mark that asset numbers begin with (decisions 7). */
  REGION: z.preprocess(absentWhenEmpty, z.enum(['domestic', 'overseas']).default('domestic')),
  WORKER_PORT: z.preprocess(absentWhenEmpty, port.optional()),
  WORKER_DRAINS: z.preprocess(absentWhenEmpty, z.coerce.number().int().min(1).max(16).default(2)),
  DATABASE_POOL: z.preprocess(absentWhenEmpty, z.coerce.number().int().min(2).max(200).default(10)),
  LOG_LEVEL: z.preprocess(
    absentWhenEmpty,
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).optional(),
  ),
});

export type Config = Omit<z.infer<typeof environment>, 'PUBLIC_URL'> & {
  /** Where clients find the service: http or https, host, path prefix, no slash at the end; null where nobody said. */
  publicUrl: string | null;
};

/** Reads the configuration. Throws an Error that names every variable that is wrong. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const result = environment.safeParse(env);
  if (result.success) {
    const { PUBLIC_URL, ...config } = result.data;
    return { ...config, publicUrl: PUBLIC_URL ?? null };
  }
  const faults = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`The environment is not usable. ${faults.join('; ')}`);
}

/** The configuration of a process that cannot run without a database of its own choosing (decisions 9). */
export function readDeploymentConfig(env: NodeJS.ProcessEnv = process.env): Config & { DATABASE_URL: string } {
  const config = readConfig(env);
  const { DATABASE_URL } = config;
  if (DATABASE_URL === undefined) throw new Error('DATABASE_URL is not set. For everything on one machine: npm start');
  return { ...config, DATABASE_URL };
}
