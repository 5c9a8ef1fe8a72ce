import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { PERIOD_TABLES, registerArchiveGauges } from '@lockstep/orders';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Api } from '../harness/api.ts';
import { objectsIn } from '../harness/command-line.ts';
import { batchOf, deleteAsset, newAssetNum, newBuy } from '../harness/orders.ts';
import { beginNextPeriod, passKeptDays, runPeriodCommand, startPeriodCommand, tablesOf } from '../harness/periods.ts';
import { endEverything, newDataDir, runJob } from '../harness/processes.ts';
import { type Stack, startStack } from '../harness/stack.ts';

/** `lockstep period`: what it lists, what it refuses, what it writes, and what the metrics say of it. */

let stack: Stack;
let api: Api;
let directory: string;

beforeEach(async () => {
  stack = await startStack();
  api = await stack.newApi();
  directory = join(newDataDir(), 'archive');
});
afterEach(() => stack.close());
afterAll(endEverything);

const archive = (period = '0', to = directory) => runPeriodCommand(stack.url, 'archive', period, '--to', to);

async function listed() {
  const { status, stdout, stderr } = await runPeriodCommand(stack.url, 'list');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return objectsIn(stdout);
}

/** A batch of one order that is over. */
async function complete() {
  const batch = batchOf(newBuy(await api.newCustomer(), [newAssetNum()]));
  await api.process(batch);
  return batch;
}

/** What a gauge of the archive says now, by its labels. */
async function readGauge(name: string): Promise<Record<string, number>> {
  const registry = new Registry();
  registerArchiveGauges(registry, stack.db);
  const { values } = (await registry.getMetricsAsJSON()).find((metric) => metric.name === name)!;
  return Object.fromEntries(values.map(({ labels, value }) => [Object.values(labels).join(' '), value]));
}

/** Archives period 0 up to where the first table would be dropped, which something that reads it prevents. */
async function archiveUpToDropping(): Promise<void> {
  await sql`create view reads_batches as select id from batch_p0000`.execute(stack.db);
  expect(await archive()).toMatchObject({ status: 1, stderr: expect.stringContaining('dropping batch_p0000') });
  await sql`drop view reads_batches`.execute(stack.db);
}

describe('lockstep period list', () => {
  it('shows each period with its time, its size, what is open in it, and how far its archive is', async () => {
    await complete();
    expect(await listed()).toEqual([
      {
        period: 0,
        state: 'current',
        beganTime: expect.any(String),
        endedTime: null,
        batches: null,
        orders: null,
        bytes: expect.any(Number),
        openBatches: 0,
        archive: null,
      },
    ]);
    await beginNextPeriod(stack.db);
    await sql`analyze batch, license_order`.execute(stack.db);
    const [first, second] = await listed();
    expect(first).toMatchObject({ period: 0, state: 'past', batches: 1, orders: 1, endedTime: second.beganTime });
    expect(first.bytes).toBeGreaterThan(0);
    expect(second).toMatchObject({ period: 1, state: 'current', endedTime: null });

    await passKeptDays(stack.db);
    expect(await archive()).toMatchObject({ status: 0 });
    const [archived] = await listed();
    expect(archived).toMatchObject({
      ...{ period: 0, state: 'archived', bytes: 0, openBatches: 0 },
      archive: { step: 'done', directory, batches: 1, orders: 1, archivedTime: expect.any(String) },
    });
    expect(archived.archive.bytes).toBeGreaterThan(0);
  });
});

describe('lockstep period archive refuses', () => {
  const refusal = async (period = '0', to = directory) => {
    const { status, stderr } = await archive(period, to);
    expect(status).toBe(1);
    return stderr.split('\n').at(-2);
  };

  it('a period that is not over, and one that was not reached', async () => {
    expect(await refusal('0')).toBe('lockstep: Period 0 cannot be archived. Period 0 is the current one.');
    expect(await refusal('7')).toBe('lockstep: Period 7 cannot be archived. Period 7 has not begun.');
    expect(await refusal('July')).toContain('It must be the number of a period.');
  });

  it('a period before the one before it', async () => {
    await beginNextPeriod(stack.db);
    await sql`select make_partitions()`.execute(stack.db);
    await beginNextPeriod(stack.db);
    expect(await refusal('1')).toContain('Period 0 comes first: it is not archived.');
  });

  it('a period with a batch that is not completed', async () => {
    const idle = await startStack({ worker: false });
    try {
      const sender = await idle.newApi();
      await sender.accept(batchOf(newBuy(await sender.newCustomer(), [newAssetNum()])));
      await beginNextPeriod(idle.db);
      const { status, stderr } = await runPeriodCommand(idle.url, 'archive', '0', '--to', directory);
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: 'lockstep: Period 0 cannot be archived. 1 of its batches are not completed.\n',
      });
    } finally {
      await idle.close();
    }
  });

  it('a period of which what failed orders held, or events, are still kept', async () => {
    const customer = await api.newCustomer();
    await api.process(batchOf(deleteAsset(customer, [newAssetNum()])));
    await vi.waitFor(
      async () => {
        const { rows } = await sql`select from event`.execute(stack.db);
        expect(rows).toHaveLength(1);
      },
      { timeout: 30_000 },
    );
    await beginNextPeriod(stack.db);
    expect(await refusal()).toContain('What failed orders of period 0 held is still kept.');
    await sql`delete from failed_order`.execute(stack.db);
    expect(await refusal()).toContain('Events of period 0 are still kept.');
    await sql`delete from event`.execute(stack.db);
    expect(await archive()).toMatchObject({ status: 0 });
  });

  it('a directory that holds anything, or that cannot be written', async () => {
    await complete();
    await beginNextPeriod(stack.db);
    await passKeptDays(stack.db);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'mine.txt'), '');
    expect(await refusal()).toBe(`lockstep: ${directory} is not empty: it holds mine.txt. Choose another directory.`);
    const file = join(directory, 'mine.txt', 'below-a-file');
    expect(await refusal('0', file)).toContain(`${file} cannot be written: ENOTDIR`);
    expect(await listed()).toMatchObject([{ state: 'past', archive: null }, { state: 'current' }]);
  });

  it('a period that another command archives just now, or that is archived already in another directory', async () => {
    await complete();
    await beginNextPeriod(stack.db);
    await passKeptDays(stack.db);
    const reading = await stack.db.startTransaction().execute();
    await sql`select 1`.execute(reading);
    const first = startPeriodCommand(stack.url, 'archive', '0', '--to', directory);
    await vi.waitFor(() => expect(first.output.stderr).toContain('waiting for transactions to end'), {
      timeout: 30_000,
    });
    expect(await refusal()).toBe('lockstep: A period is being archived already. Wait until that is done.');
    await reading.rollback().execute();
    const { status, stdout: archived } = await first.ended;
    expect(status).toBe(0);
    const elsewhere = join(newDataDir(), 'elsewhere');
    expect(await refusal('0', elsewhere)).toBe(`lockstep: Period 0 is archived already, in ${directory}.`);
    expect(await archive()).toMatchObject({ status: 0, stdout: archived, stderr: '' });
  });

  it('to drop anything whose files do not hold what the tables hold', async () => {
    await complete();
    await beginNextPeriod(stack.db);
    await passKeptDays(stack.db);
    await archiveUpToDropping();
    // As docs/operations.md says for files that were lost.
    await sql`update period_archive set step = 'writing', bytes = null where number = 0`.execute(stack.db);
    const file = join(directory, 'license_order-00001.jsonl.gz');
    const whole = readFileSync(file);
    writeFileSync(file, whole.subarray(0, -4));
    expect(await refusal()).toContain(`${file} cannot be read: unexpected end of file`);
    writeFileSync(file, gzipSync(gunzipSync(whole).toString().replace('"assets":1', '"assets":2')));
    expect(await refusal()).toContain(`The files of license_order in ${directory} do not hold what the table holds.`);
    expect(await tablesOf(stack.db, 0)).toHaveLength(PERIOD_TABLES.length);
    expect(await readGauge('lockstep_archive_unfinished_seconds')).toEqual({ '0 writing': expect.any(Number) });
    expect(await readGauge('lockstep_periods_archived')).toEqual({ '': 0 });

    rmSync(file);
    expect(await archive()).toMatchObject({ status: 0 });
  });
});

describe('the files of an archive', () => {
  it('go back into a table by psql, as docs/operations.md says', async () => {
    await complete();
    await beginNextPeriod(stack.db);
    const stored = async (table: string) =>
      (await sql`select * from ${sql.table(table)} order by id`.execute(stack.db)).rows;
    const before = await stored('license_order');
    await passKeptDays(stack.db);
    expect(await archive()).toMatchObject({ status: 0 });

    const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const lines = /```psql\n(create table archived_lines[^`]+)```/.exec(page)![1]!;
    const file = join(directory, 'load.sql');
    writeFileSync(file, lines.replaceAll('/archive/2026-11', directory));
    const psql = await runJob(['psql', '-v', 'ON_ERROR_STOP=1', '-q', '-d', stack.url, '-f', file]);
    expect(psql).toMatchObject({ status: 0, stderr: '' });
    expect(await stored('license_order_2026_11')).toEqual(before);
  });

  it('are for their owner only', async () => {
    await complete();
    await beginNextPeriod(stack.db);
    await passKeptDays(stack.db);
    expect(await archive()).toMatchObject({ status: 0 });
    const { stdout } = await runJob(['find', directory, '-perm', '/077']);
    expect(stdout).toBe('');
  });
});

describe('the metrics of archives', () => {
  it('say how large each attached period is, and how many are archived', async () => {
    await complete();
    expect(await readGauge('lockstep_periods_archived')).toEqual({ '': 0 });
    await beginNextPeriod(stack.db);
    await passKeptDays(stack.db);
    const before = await readGauge('lockstep_period_bytes');
    expect(Object.keys(before).slice(0, 2)).toEqual(['0', '1']);
    expect(before['0']).toBeGreaterThan(0);
    expect(await archive()).toMatchObject({ status: 0 });
    expect(Object.keys(await readGauge('lockstep_period_bytes'))[0]).toBe('1');
    expect(await readGauge('lockstep_periods_archived')).toEqual({ '': 1 });
    expect(await readGauge('lockstep_archive_unfinished_seconds')).toEqual({});
  });

  it('say how full the table of locks is', async () => {
    const other = await stack.db.startTransaction().execute();
    try {
      // Such a lock, unlike that of a reader, is in the table for all sessions.
      await sql`select pg_advisory_xact_lock(number) from generate_series(1, 1000) as number`.execute(other);
      const { rows } = await sql<{ ratio: number }>`
        select 1000 / (current_setting('max_locks_per_transaction')::float8 * current_setting('max_connections')::int) as ratio
      `.execute(stack.db);
      const { '': ratio } = await readGauge('lockstep_database_locks_ratio');
      expect(ratio).toBeGreaterThanOrEqual(rows[0]!.ratio);
      expect(ratio).toBeLessThan(1);
    } finally {
      await other.rollback().execute();
    }
  });
});
