import { type MemberCallOptions, MemberCenter, newEmployee } from '../harness/members/member-center.ts';
import type { Sent } from '../harness/orders/orders.ts';
import type { Stack } from '../harness/stack.ts';

const EMPLOYEE = { name: 'Kim II', departmentId: 7, remark: 'night shift', passwordMobile: '13800000000' };
const PAGE = { pageNum: '1', pageSize: '10' };

/** An operation of the member center with a valid body or query. */
interface ValidCall {
  method: string;
  path: string;
  body?: () => Sent;
  query?: Record<string, string>;
}

/**
 * Opens an enterprise with everything that a valid call of each operation names, so each write would change something.
 * M4 is last, because it deletes what the others name.
 */
export async function openWithCalls(stack: Stack) {
  const center = await MemberCenter.open(stack);
  const kim = (await center.add(newEmployee({ userName: 'kim' })))[0]!.globalId;
  const [held, lendable, free] = await center.buy(3);
  const [lock] = await center.buyLocks();
  await center.assign(kim, held!.assetNum, lendable!.assetNum);
  const enterprise = `/enterprise/${center.enterpriseId}`;
  const member = `${enterprise}/member/${kim}`;
  const calls: Record<string, ValidCall> = {
    M1: { method: 'POST', path: `${enterprise}/member`, body: () => ({ userList: [newEmployee(EMPLOYEE)] }) },
    M2: { method: 'PUT', path: member, body: () => ({ userName: 'kim', ...EMPLOYEE }) },
    M3: { method: 'PUT', path: `${member}/resetPassword`, body: () => ({ password: 'battery staple' }) },
    M5: { method: 'GET', path: `${enterprise}/members`, query: { ...PAGE, departmentId: '7', keyword: 'kim' } },
    M6: { method: 'GET', path: `${enterprise}/asset/assetNums` },
    M7: { method: 'GET', path: `/enterprise/asset/${held!.assetId}/merchandiseProducts` },
    M8: { method: 'GET', path: `${enterprise}/asset/borrowUsbKeys` },
    'the holdings': { method: 'GET', path: `${enterprise}/holdings`, query: { limit: '50' } },
    'the seats': { method: 'GET', path: `${enterprise}/seats` },
    M9: {
      method: 'POST',
      path: `/enterprise/member/${kim}/privileges`,
      body: () => ({ deleteAssets: [held!.assetNum], addAssets: [free!.assetNum, held!.assetNum] }),
    },
    'M9 for many': {
      method: 'POST',
      path: `${enterprise}/privileges`,
      body: () => ({
        privileges: [{ memberGlobalId: kim, deleteAssets: [held!.assetNum], addAssets: [held!.assetNum] }],
      }),
    },
    M10: {
      method: 'POST',
      path: `/enterprise/member/${kim}/borrow`,
      body: () => ({ borrowedUsbKey: lock!.assetNum, assetIDs: [held!.assetId, lendable!.assetId] }),
    },
    'the audit log': { method: 'GET', path: `${enterprise}/audit`, query: PAGE },
    M4: { method: 'DELETE', path: member },
  };
  /** Makes the valid call of an operation with changes. */
  const call = (name: string, options: MemberCallOptions = {}) => {
    const { method, path, query = {}, body } = calls[name]!;
    return center.call(method, path, {
      ...(body && { body: body() }),
      ...options,
      query: { ...query, ...options.query },
    });
  };
  return { center, kim, calls, call };
}
