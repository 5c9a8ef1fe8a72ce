import { accessSync, constants, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { freePort } from '../harness/network/redis.ts';
import { endEverything, newDataDir, REPOSITORY, runJob } from '../harness/processes/processes.ts';

const LAUNCHER = 'apps/cli/bin/lockstep.js';
const { bin } = JSON.parse(readFileSync(join(REPOSITORY, 'apps/cli/package.json'), 'utf8')) as {
  bin: { lockstep: string };
};
const BIN = join('apps/cli', bin.lockstep);

afterAll(endEverything);

/** Makes a process print the packages that it loaded to standard error. */
const LIST_PACKAGES = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  const loaded = new Set();
  registerHooks({
    load(url, context, nextLoad) {
      const [, name] = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? [];
      if (name) loaded.add(name);
      return nextLoad(url, context);
    },
  });
  process.on('exit', () => process.stderr.write('\\nloaded: ' + JSON.stringify([...loaded])));
`)}`;

/** Runs the command. Returns the packages that it loaded. */
async function packagesOf(...words: string[]): Promise<string[]> {
  const env = {
    DATA_DIR: newDataDir(),
    DATABASE_URL: `postgres://nobody@127.0.0.1:${await freePort()}/none`,
    LOCKSTEP_BASE_URL: `http://127.0.0.1:${await freePort()}`,
    LOCKSTEP_APP_KEY: 'key',
    LOCKSTEP_APP_SECRET: 'secret',
  };
  const { stderr } = await runJob([process.execPath, '--import', LIST_PACKAGES, LAUNCHER, ...words], env);
  return JSON.parse(/loaded: (.*)$/.exec(stderr)![1]!) as string[];
}

describe('a command loads only what it needs:', () => {
  it.each(['--version', '--help', 'app create --help', 'database backup --help', 'complete -- batch list --state c'])(
    '%s loads only the parser of its arguments',
    async (line) => {
      expect(await packagesOf(...line.split(' '))).toEqual(['commander']);
    },
  );

  const listen = 'webhook listen --forward http://127.0.0.1:1';
  it.each(['batch list', 'order show 1', 'events', 'webhook list', listen, 'submit examples/first-batch.json'])(
    '%s loads neither schemas nor the database',
    async (line) => {
      const packages = await packagesOf(...line.split(' '));
      expect(packages).toContain('commander');
      const heavy = ['pg', 'kysely', 'bullmq', 'ioredis', '@node-rs/argon2', 'fastify', 'zod', 'pino'];
      expect(packages.filter((name) => heavy.includes(name))).toEqual([]);
    },
  );

  it('app list loads the database', async () => {
    expect(await packagesOf('app', 'list')).toEqual(expect.arrayContaining(['kysely', 'pg', 'zod']));
  });
});

describe('the bin', () => {
  it('works from any directory, and through a link', async () => {
    accessSync(join(REPOSITORY, BIN), constants.X_OK);
    const dataDir = newDataDir();
    const line = `ln -s "$1" "$2" && cd / && exec "$2" --version`;
    const ended = await runJob(['bash', '-c', line, 'bash', join(REPOSITORY, BIN), `${dataDir}-link`]);
    const { version } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as { version: string };
    expect(ended).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('reports in one line that a Node.js without TypeScript is too old', async () => {
    const ended = await runJob([process.execPath, '--no-strip-types', LAUNCHER, '--version']);
    expect(ended).toMatchObject({ status: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^lockstep: Node\.js 24 .* v\S+\. .*\n$/);
  });
});

it('bash completes the command without evaluating what was typed', async () => {
  const script = `
    lockstep() { "${process.execPath}" ${LAUNCHER} "$@"; }
    source <(lockstep completion bash)
    COMP_WORDS=(lockstep batch list --state '') COMP_CWORD=4; _lockstep; echo "\${COMPREPLY[*]}"
    COMP_WORDS=(lockstep batch '$(echo list)' '') COMP_CWORD=3; _lockstep; echo "\${COMPREPLY[*]}"`;
  const ended = await runJob(['bash', '-c', script]);
  expect(ended).toMatchObject({ status: 0, stdout: 'accepted processing completed\n\n', stderr: '' });
});
