import { expect, it } from 'vitest';
import { dataOf, refusalOf } from '../harness/api.ts';
import { askUserToken, MemberCenter, newEmployee } from '../harness/members/member-center.ts';
import { deleteAsset } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/** An administrator's typical calls, over HTTP (interface M1 to M10; rules 8). */

const { stack } = await testStack();
const center = await MemberCenter.open(stack);

it('adds employees, assigns licenses, lends them into a lock, and withdraws them', async () => {
  const [kim] = await center.add(newEmployee({ userName: 'kim', password: 'correct horse', name: 'Kim Lee' }));
  expect(kim).toMatchObject({ userName: `kim@${center.code}`, name: 'Kim Lee', deleted: false, departmentId: null });
  const login = await askUserToken(stack.baseUrl, center.api.credentials, {
    account: kim!.userName,
    password: 'correct horse',
  });
  expect(login).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 7200 } });

  const [asset, other] = await center.buy(2);
  const [lock] = await center.buyLocks();
  await center.assign(kim!.globalId, asset!.assetNum, other!.assetNum);
  expect(await center.listed(kim!.globalId)).toMatchObject({
    assetNums: [asset!.assetNum, other!.assetNum],
    borrowNum: '',
  });

  dataOf(await center.lend(kim!.globalId, lock!.assetNum, [asset!.assetId]));
  expect(await center.listed(kim!.globalId)).toMatchObject({ borrowNum: lock!.assetNum });
  expect(await center.assets()).toMatchObject([
    { assetNum: asset!.assetNum, borrowedFlag: true, cloudAccountGlobalId: kim!.globalId },
    { assetNum: other!.assetNum, borrowedFlag: false, cloudAccountGlobalId: kim!.globalId },
  ]);
  expect(await center.locks()).toEqual([{ ...lock, borrowedFlag: true, cloudAccountGlobalId: kim!.globalId }]);
  expect((await center.contents(asset!.assetId)).productInstanceList).toEqual([]);
  const underLock = (await center.contents(lock!.assetId)).productInstanceList;
  expect(underLock.map(({ assetNum }) => assetNum).toSorted()).toEqual([asset!.assetNum, lock!.assetNum].toSorted());

  await center.api.carryOut(deleteAsset(center.customer, [asset!.assetNum]));
  expect(await center.listed(kim!.globalId)).toMatchObject({ assetNums: [other!.assetNum], borrowNum: '' });
  expect(await center.locks()).toEqual([lock]);

  dataOf(await center.edit(kim!.globalId, { userName: 'kim', name: '金李', remark: 'night shift' }));
  expect(await center.listed(kim!.globalId)).toMatchObject({ name: '金李', remark: 'night shift' });
  dataOf(await center.resetPassword(kim!.globalId, 'battery staple'));
  dataOf(await center.delete(kim!.globalId));
  expect(await center.listed(kim!.globalId)).toBeUndefined();
  expect(await center.assets()).toMatchObject([{ assetNum: other!.assetNum, cloudAccountGlobalId: null }]);
  expect(refusalOf(await center.delete(center.adminId))).toMatchObject({ code: '70001', cause: 'last_administrator' });

  expect((await center.audit()).map(({ action }) => action)).toEqual([
    'employee_deleted',
    'password_reset',
    'employee_edited',
    'assets_lent',
    'assets_configured',
    'employee_added',
  ]);
});
