import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { REPOSITORY } from '../harness/processes/processes.ts';

/** The lint that keeps reads across applications out (decision 0017), on small files at the places of real ones. */
const RULES = [
  'biome.json',
  'packages/customers/tenant.grit',
  'packages/members/tenant.grit',
  'apps/cli/terminal.grit',
];

const SQL = (text: string) => `import { sql } from 'kysely';\nexport const found = sql\`${text}\`;\n`;
const QUERY = (call: string) =>
  `import type { Database } from '@lockstep/platform';\nexport const found = (db: Database) => ${call};\n`;
const ENTRY = (name: string) => `import * as read from '@lockstep/${name}';\nexport const found = read;\n`;

const QUERIES = ['asset', 'customer'].flatMap((table) => [
  QUERY(`db.selectFrom('${table}').selectAll()`),
  QUERY(`db.selectFrom('${table} as own').selectAll()`),
  QUERY(`db.selectFrom('enterprise').innerJoin('${table}', 'id', 'id').selectAll()`),
  QUERY(`db.selectFrom('enterprise').leftJoin('${table}', 'id', 'id').selectAll()`),
  QUERY(`db.insertInto('${table}')`),
  QUERY(`db.updateTable('${table}')`),
  QUERY(`db.deleteFrom('${table}')`),
  SQL(`select * from ${table} where true`),
  SQL(`select * from enterprise join ${table} on true`),
]);
const OF_MEMBERS = ['member', 'asset', 'customer', 'enterprise', 'member_audit'].flatMap((table) => [
  QUERY(`db.selectFrom('${table}').selectAll()`),
  SQL(`select * from ${table}`),
]);
const ENTRIES = ['access', 'assets', 'contract', 'customers', 'members', 'orders', 'webhooks'].map(
  (name) => `${name}/operator`,
);

const REFUSED: [place: string, text: string][] = [
  ...['assets/src', 'assets/src/contents', 'assets/src/history', 'assets/src/operator', 'customers/src'].flatMap(
    (room) => QUERIES.map((text): [string, string] => [`packages/${room}`, text]),
  ),
  ...['members/src', 'members/src/employees'].flatMap((room) =>
    OF_MEMBERS.map((text): [string, string] => [`packages/${room}`, text]),
  ),
  ...[
    'apps/api/src/routes',
    'apps/cli/src/database',
    'apps/worker/src',
    'packages/orders/src',
    'packages/assets/src',
  ].flatMap((room) => ENTRIES.map((entry): [string, string] => [room, ENTRY(entry)])),
];
const ALLOWED: [path: string, text: string][] = [
  ['packages/assets/src/tenant.ts', QUERIES[0]!],
  ['packages/customers/src/tenant.ts', QUERIES[0]!],
  ['packages/members/src/tenant.ts', OF_MEMBERS[0]!],
  ...ENTRIES.flatMap((entry, index): [string, string][] => [
    [`apps/api/src/console/routes/entry-${index}.ts`, ENTRY(entry)],
    [`packages/operators/src/entry-${index}.ts`, ENTRY(entry)],
  ]),
];

it('refuses queries outside tenant.ts, and what operators read outside the console', async () => {
  const root = await mkdtemp(join(tmpdir(), 'lockstep-lint-'));
  const write = async (path: string, text: string) => {
    await mkdir(join(root, dirname(path)), { recursive: true });
    await writeFile(join(root, path), text);
    return path;
  };
  for (const rule of RULES) await cp(join(REPOSITORY, rule), join(root, rule), { recursive: true });
  const refused = await Promise.all(REFUSED.map(([place, text], index) => write(`${place}/refused-${index}.ts`, text)));
  await Promise.all(ALLOWED.map(([path, text]) => write(path, text)));
  const words = [
    ...['lint', '--reporter=json', '--vcs-enabled=false', '--max-diagnostics=none', '--only=plugin'],
    '--only=style/noRestrictedImports',
  ];
  const lint = promisify(execFile)(join(REPOSITORY, 'node_modules/.bin/biome'), words, { cwd: root });
  const { stdout } = await lint.catch((error: { stdout: string }) => error);
  await rm(root, { recursive: true });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { location: { path: string } }[] };
  expect(new Set(diagnostics.map(({ location }) => location.path))).toEqual(new Set(refused));
});
