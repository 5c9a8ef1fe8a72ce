import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Seats } from '@lockstep/contract';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { dataOf } from '../harness/api.ts';
import { insertEmployees } from '../harness/members/holdings.ts';
import { MemberCenter, newEmployee } from '../harness/members/member-center.ts';
import { newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { environmentOf, objectsIn, resultOf, runLine, tableIn } from '../harness/processes/command-line.ts';
import { endEverything } from '../harness/processes/processes.ts';
import { testStack } from '../harness/stack.ts';

/** The commands of the member center, as processes. */

const { stack } = await testStack();
const center = await MemberCenter.open(stack);
const [kim, lee] = await center.add(newEmployee({ userName: 'kim' }), newEmployee({ userName: 'lee' }));
const [first, second, third] = await center.buy(3);
const env = {
  ...environmentOf(center.api),
  LOCKSTEP_ENTERPRISE: center.enterpriseId,
  LOCKSTEP_ACCOUNT: center.account,
  LOCKSTEP_PASSWORD: center.password,
};
const dir = mkdtempSync(join(inject('directory'), 'seats-'));
afterAll(() => endEverything());

const run = (line: string, changes = {}) => runLine(line, { ...env, ...changes });
const write = (name: string, ...lines: string[]) => {
  const file = join(dir, name);
  writeFileSync(file, `${lines.join('\r\n')}\r\n`);
  return file;
};
/** Returns the numbers of each employee's assets. */
const held = async () =>
  Object.fromEntries((await center.list()).map(({ globalId, assetNums }) => [globalId, assetNums]));

it('member assign shows what each row would change, changes it, and says which rows are refused', async () => {
  await center.assign(kim!.globalId, first!.assetNum, second!.assetNum);
  const before = await held();
  const seats = write(
    'seats.csv',
    'assetNum;account',
    `${first!.assetNum};lee`,
    `'${second!.assetNum};`,
    `${third!.assetNum};${kim!.userName}`,
    'unknown;kim',
  );
  const preview = await run(`lockstep member assign --file ${seats} --preview --json`);
  expect(await held()).toEqual(before);
  const applied = await run(`lockstep member assign --file - < ${seats}`);
  expect([preview.status, applied.status]).toEqual([2, 2]);
  const outcomes = ['moved', 'unassigned', 'assigned', 'asset_number_not_found'];
  expect(objectsIn(preview.stdout)).toMatchObject(outcomes.map((outcome, index) => ({ row: index + 2, outcome })));
  expect(
    tableIn(applied.stdout, 'row')
      .slice(0, 4)
      .map(({ outcome }) => outcome),
  ).toEqual(outcomes);
  expect(applied.stdout).toMatch(/^5: .*unknown/m);
  expect(await held()).toMatchObject({ [kim!.globalId]: [third!.assetNum], [lee!.globalId]: [first!.assetNum] });
  const again = await run(
    `lockstep member assign --file ${write('again.csv', 'assetNum,account', `${first!.assetNum},lee`)}`,
  );
  expect(again).toMatchObject({ status: 0, stdout: expect.stringContaining('unchanged') });
});

it('an asset that its new employee may not get stays with the present one', async () => {
  const [asset] = await center.buy(1, { licenseType: 'softkey' });
  await center.assign(kim!.globalId, asset!.assetNum);
  await stack.db.updateTable('asset').set({ freezing: true }).where('id', '=', asset!.assetId).execute();
  const file = write('frozen.csv', 'assetNum,account', `${asset!.assetNum},lee`);
  const { status, stdout } = await run(`lockstep member assign --file ${file} --json`);
  expect([status, objectsIn(stdout)]).toMatchObject([2, [{ row: 2, outcome: 'asset_frozen' }]]);
  expect((await held())[kim!.globalId]).toContain(asset!.assetNum);
});

it('member assign sends files of any length, and reads lists of any length', async () => {
  const nums = Array.from({ length: 1_200 }, newAssetNum);
  await center.api.carryOut(newBuy(center.customer, nums));
  await insertEmployees(stack.db, center, 510);
  const file = write('long.csv', 'assetNum,account', ...nums.map((num) => `${num},kim`));
  expect(await run(`lockstep member assign --file ${file}`)).toMatchObject({ status: 0, stderr: '' });
  const assets = await center.assets();
  expect(new Set(nums.map((num) => assets.find(({ assetNum }) => assetNum === num)?.cloudAccountGlobalId))).toEqual(
    new Set([kim!.globalId]),
  );
  const listed = objectsIn(await resultOf(run('lockstep member assets --all --json')));
  expect(listed).toEqual(assets);
  const employees = objectsIn(await resultOf(run('lockstep member list --all --json')));
  expect(new Set(employees.map(({ globalId }) => globalId)).size).toBe(514);
}, 60_000);

it('member seats counts them, and lists are tables', async () => {
  const json = await resultOf(run('lockstep member seats --json'));
  const seats = Seats.parse(JSON.parse(json));
  const table = tableIn(await resultOf(run('lockstep member seats')), 'product or license type');
  expect(table.at(-1)).toMatchObject({ owned: String(seats.total.owned), free: String(seats.total.free) });
  const [row] = tableIn(await resultOf(run('lockstep member list --keyword lee')), 'memberGlobalId');
  expect(row).toMatchObject({ account: lee!.userName, assets: first!.assetNum });
  expect(tableIn((await run('lockstep member assets --limit 3')).stdout, 'asset number')).toHaveLength(3);
});

it('member history lists who has and had an asset', async () => {
  const { globalId, userName } = kim!;
  const filter = `--member ${globalId} --number ${first!.assetNum} --state ended`;
  const [ended, ...others] = objectsIn(await resultOf(run(`lockstep member history ${filter} --json`)));
  const query = { memberGlobalId: globalId, assetNum: first!.assetNum, state: 'ended' };
  expect(dataOf(await center.ask('listHoldings', {}, { query })).holdings).toEqual([ended, ...others]);
  expect(ended).toMatchObject({ assetNum: first!.assetNum, memberAccount: userName });
  expect(objectsIn(await resultOf(run(`lockstep member history ${filter} --ndjson`)))).toEqual([ended, ...others]);
  const [row] = tableIn(await resultOf(run(`lockstep member history ${filter}`)), 'asset number');
  expect(row).toMatchObject({ 'asset number': first!.assetNum, employee: userName });
});

describe('without a valid administrator', () => {
  it.each<[what: string, changes: Record<string, string>, status: number, said: RegExp]>([
    ['a wrong password', { LOCKSTEP_PASSWORD: 'wrong' }, 2, /invalid_grant/],
    ['another enterprise', { LOCKSTEP_ENTERPRISE: '999999999' }, 2, /not_administrator/],
    ['no account', { LOCKSTEP_ACCOUNT: '' }, 64, /--account/],
    ['a file that is none', {}, 64, /no-file/],
  ])('%s', async (what, changes, status, said) => {
    const line = what.startsWith('a file') ? 'assign --file no-file.csv' : 'seats';
    const ended = await run(`lockstep member ${line}`, changes);
    expect(ended).toMatchObject({ status, stderr: expect.stringMatching(said) });
  });
});
