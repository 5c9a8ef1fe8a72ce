import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** The rules of `.squawk.toml` that statements in a new migration break. */
function lint(statements: string): string[] {
  const words = ['--stdin-filepath', 'migrations/9999_new.sql', '--reporter', 'json'];
  const { stdout, error } = spawnSync('node_modules/.bin/squawk', words, { input: statements, encoding: 'utf8' });
  if (error !== undefined) throw error;
  return (JSON.parse(stdout) as { rule_name: string }[]).map(({ rule_name }) => rule_name);
}

it.each([
  ['builds an index', 'create index more on asset (asset_num)', 'require-concurrent-index-creation'],
  ['adds a check that reads all rows', 'alter table asset add check (id > 0)', 'constraint-missing-not-valid'],
  ['gives a column another name', 'alter table asset rename freezing to frozen', 'renaming-column'],
  ['drops a column', 'alter table asset drop column freezing', 'ban-drop-column'],
])('the lint notices a migration that %s', (_, statement, rule) => {
  expect(lint(`${statement};`)).toContain(rule);
  expect(lint(`-- squawk-ignore-file ${rule}\n${statement};`)).not.toContain(rule);
});

it.each([
  [
    'a new table with its index',
    'create table more (id bigint primary key, count int); create index few on more (count)',
  ],
  ['a column without a default', 'alter table asset add more text'],
  ['a check of new rows', 'alter table asset add check (id > 0) not valid'],
  ['a trigger', 'create trigger more after insert on asset for each statement execute function refuse_change()'],
])('the lint lets %s pass', (_, statements) => {
  expect(lint(`${statements};`)).toEqual([]);
});

it('the check fails where it finds no migration', async ({ onTestFinished }) => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: Record<string, string> };
  const directory = await mkdtemp(join(tmpdir(), 'lockstep-lint-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const env = { ...process.env, PATH: `${join(process.cwd(), 'node_modules/.bin')}:${process.env.PATH}` };
  const check = () => spawnSync(scripts['check:migrations'] ?? '', { cwd: directory, env, shell: true }).status;
  await cp('.squawk.toml', join(directory, '.squawk.toml'));
  await mkdir(join(directory, 'migrations'));
  expect(check()).not.toBe(0);
  await cp('migrations/0001_baseline.sql', join(directory, 'migrations/0001_baseline.sql'));
  expect(check()).toBe(0);
});

it('the baseline says what each table and each check is for', async () => {
  const lines = (await readFile('migrations/0001_baseline.sql', 'utf8')).split('\n');
  const silent = lines.filter(
    (line, at) => /^create (table|function) /.test(line) && !lines[at - 1]!.startsWith('-- '),
  );
  expect(silent).toEqual([]);
});
