import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EnterpriseAsset, ListedEmployee } from '@lockstep/contract';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { assign, planAssignments } from './assign.ts';
import type { OrderClient } from './client.ts';
import { parseSeats } from './seats-file.ts';

const read = (content: string | Buffer) => parseSeats(Buffer.from(content as string), 'seats.csv');
const KIM = { row: 2, assetNum: '8100000001', account: 'kim@acme' };
const NO_ACCOUNT = { row: 3, assetNum: '8100000002', account: '' };

describe('a file of seats', () => {
  it.each<[what: string, content: string | Buffer]>([
    ['commas', 'assetNum,account\n8100000001,kim@acme\n8100000002,\n'],
    ['a byte order mark, semicolons and CRLF', '\uFEFFassetNum;account\r\n8100000001;kim@acme\r\n8100000002;\r\n'],
    ['tabs, and no line break at the end', 'assetNum\taccount\n8100000001\tkim@acme\n8100000002\t'],
    ['UTF-16', Buffer.from('\uFEFFassetNum\taccount\n8100000001\tkim@acme\n8100000002\t\n', 'utf16le')],
    ['quotes and spaces', '"assetNum" , "account"\n "8100000001" , kim@acme \n"8100000002",""\n'],
    ['numbers made text', 'assetNum,account\n\'8100000001,kim@acme\n"=""8100000002""",\n'],
    ['other columns, in another order', 'Account,name,Asset_Num\nkim@acme,"Lee, Kim",8100000001\n,,8100000002\n'],
    ['empty rows at the end', 'assetNum,account\n8100000001,kim@acme\n8100000002,\n,\n\n'],
  ])('may have %s', (_, content) => {
    expect(read(content)).toEqual([KIM, NO_ACCOUNT]);
  });

  it('counts lines as an editor does', () => {
    expect(read('assetNum,account\n\n8100000001,kim@acme\n')).toEqual([{ ...KIM, row: 3 }]);
  });

  it.each<[what: string, content: string | Buffer, reason: RegExp]>([
    ['it is empty', ' \n', /empty/],
    ['it has no heading', '8100000001,kim\n', /assetNum/],
    ['a column is missing', 'assetNum\n8100000001\n', /account/],
    ['a column is there twice', 'assetNum,account,account\n', /account/],
    ['a row has fewer cells', 'assetNum,account\n8100000001\n', /line 2/],
    ['a quote does not end', 'assetNum,account\n"81,kim\n', /quote/i],
    ['it is Latin-1', Buffer.from('assetNum,account\n81,m\xfcller\n', 'latin1'), /UTF-8/],
  ])('is refused if %s', (_, content, reason) => {
    const message = expect.stringMatching(new RegExp(`^seats\\.csv: .*${reason.source}`, 'is'));
    expect(() => read(content)).toThrow(expect.objectContaining({ kind: 'usage', message }));
  });
});

describe('a row', () => {
  const employees = ['kim', 'lee'].map((name) => ({ userName: `${name}@acme`, globalId: `id-${name}` }));
  const assets = [
    { assetNum: 'free', cloudAccountGlobalId: null },
    { assetNum: 'kims', cloudAccountGlobalId: 'id-kim' },
  ];
  const plan = (...rows: [assetNum: string, account: string][]) =>
    planAssignments(
      rows.map(([assetNum, account], index) => ({ row: index + 2, assetNum, account })),
      { employees: employees as ListedEmployee[], assets: assets as EnterpriseAsset[] },
    );
  const loses = (who: string, assetNum: string) => ({ memberGlobalId: who, deleteAssets: [assetNum], addAssets: [] });
  const gets = (who: string, assetNum: string) => ({ memberGlobalId: who, deleteAssets: [], addAssets: [assetNum] });

  it.each<[assetNum: string, account: string, expected: object]>([
    ['free', 'kim', { outcome: 'assigned', from: null, to: 'kim@acme', entries: [gets('id-kim', 'free')] }],
    ['free', 'kim@acme', { outcome: 'assigned', entries: [gets('id-kim', 'free')] }],
    ['kims', 'lee', { outcome: 'moved', from: 'kim@acme', entries: [loses('id-kim', 'kims'), gets('id-lee', 'kims')] }],
    ['kims', '', { outcome: 'unassigned', to: null, entries: [loses('id-kim', 'kims')] }],
    ['kims', 'kim', { outcome: 'unchanged', entries: [] }],
    ['free', '', { outcome: 'unchanged', entries: [] }],
    ['free', 'Kim', { outcome: 'employee_not_matched', entries: [] }],
    ['free', 'kim@other', { outcome: 'employee_not_matched', entries: [] }],
    ['8.1E+09', 'kim', { outcome: 'asset_number_not_found', entries: [] }],
    ['', 'kim', { outcome: 'asset_number_not_found', entries: [] }],
  ])('of %j for %j', (assetNum, account, expected) => {
    expect(plan([assetNum, account])).toMatchObject([{ row: 2, assetNum, account, ...expected }]);
  });

  it('with the asset of an earlier row is refused', () => {
    const outcomes = plan(['free', 'kim'], ['free', 'lee']).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['assigned', 'asset_configured_twice']);
  });
});

it('if a call fails, what the calls before it did is printed', async () => {
  const nums = Array.from({ length: 1_001 }, (_, index) => `N${index}`);
  const directory = mkdtempSync(join(tmpdir(), 'assign-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'seats.csv');
  writeFileSync(file, ['assetNum,account', ...nums.map((num) => `${num},kim`)].join('\n'));
  const lists: Record<string, unknown[]> = {
    listEmployees: [{ userName: 'kim@acme', globalId: 'id-kim' }],
    listEnterpriseAssets: nums.map((assetNum) => ({ assetNum, cloudAccountGlobalId: null })),
  };
  const call = async (_: string, { body }: { body: { privileges: unknown[] } }) => {
    if (body.privileges.length === 1) throw new Error('unreachable');
    return { succeeded: [], failed: [] };
  };
  const printing = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => void vi.restoreAllMocks());
  const ended = assign({ call, list: (id: string) => lists[id] } as unknown as OrderClient, { file, json: true });
  await expect(ended).rejects.toThrow('unreachable');
  expect(printing.mock.calls).toHaveLength(1_000);
});
