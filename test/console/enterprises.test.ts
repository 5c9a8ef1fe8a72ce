import { randomUUID } from 'node:crypto';
import type { EnterpriseId } from '@lockstep/contract';
import { type ConsoleCall, type ConsoleData, HIDDEN } from '@lockstep/contract/console';
import { CONTACT_FIELDS } from '@lockstep/contract/words';
import { describe, expect, it } from 'vitest';
import { dataOf, refusalOf } from '../harness/api.ts';
import { ConsoleClient } from '../harness/browser/console.ts';
import { MemberCenter } from '../harness/members/member-center.ts';
import { askUserToken } from '../harness/oauth.ts';
import { CONTACT, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/** Enterprises, customers and employees in the console, and administrators' passwords that operators set. */

const { stack, api } = await testStack({ worker: false });
const viewer = await ConsoleClient.logIn(stack, 'viewer');
const support = await ConsoleClient.logIn(stack, 'support');

const enterprises = (query: ConsoleCall<'listEnterprises'>['query'] = {}) => viewer.call('listEnterprises', { query });
const customers = (query: ConsoleCall<'listCustomers'>['query'] = {}) => viewer.call('listCustomers', { query });
const show = (enterpriseGlobalId: string) =>
  viewer.call('getEnterprise', { params: { enterpriseGlobalId: enterpriseGlobalId as EnterpriseId } });
const namesOf = ({ enterprises: found }: ConsoleData<'listEnterprises'>) => found.map(({ name }) => name);
/** O1: a customer of an enterprise; `changes` vary what is sent. */
const bind = async (enterpriseName: string, changes: Record<string, string> = {}) => {
  const body = {
    channelCode: 'test',
    channelCustomerId: randomUUID(),
    customerName: 'Customer',
    branchName: 'Branch',
    enterpriseName,
    passwordMobile: '13812345678',
    ...changes,
  };
  return dataOf(await api.ask('bindCustomer', { body }));
};
/** The entries of a change in both audit logs: the enterprise's, and the operators'. */
const auditLogsOf = async (enterpriseGlobalId: EnterpriseId) => ({
  enterprise: (await viewer.call('listEnterpriseAuditLog', { params: { enterpriseGlobalId }, query: {} })).entries,
  operators: await stack.db.selectFrom('operator_audit').selectAll().orderBy('id', 'desc').execute(),
});

const SAID = Object.fromEntries(CONTACT_FIELDS.map((field) => [field, CONTACT[field]]));

describe('the list of enterprises', () => {
  it('finds those whose name has a part, in any script, case and width, newest first, in pages', async () => {
    const word = randomUUID();
    const named = [`上海建工集团 ${word} Straße`, `${word.toUpperCase()} Brückenbau`, `The ${word} מגדל 🏗️`];
    for (const name of named) await bind(name);
    expect(namesOf(await enterprises({ text: word }))).toEqual(named.toReversed());
    const parts = [`${word} STRASSE`, `${word} bRÜCKE`, `${word} מגד`];
    for (const text of parts) expect(namesOf(await enterprises({ text })), text).toHaveLength(1);
    expect(namesOf(await enterprises({ text: '海建工' }))).toContain(named[0]);
    expect(namesOf(await enterprises({ text: '🏗️' }))).toContain(named[2]);
    expect(namesOf(await enterprises({ text: `Ｔｈｅ ${word}` }))).toEqual([named[2]]);
    const first = await enterprises({ text: word, limit: '2' });
    expect(namesOf(await enterprises({ text: word, limit: '2', cursor: first.nextCursor! }))).toEqual([named[0]]);
  });

  it('compares characters of patterns literally, and one character with beginnings', async () => {
    const word = randomUUID();
    const long = `💡%_\\ ${word}${'é'.repeat(200)}`;
    for (const name of [long, `${word}💡`]) await bind(name);
    expect(namesOf(await enterprises({ text: `%_\\ ${word}${'É'.repeat(200)}` }))).toEqual([long]);
    for (const text of ['💡%', '💡']) {
      const found = namesOf(await enterprises({ text }));
      expect([found.includes(long), found.includes(`${word}💡`)], text).toEqual([true, false]);
    }
    for (const text of ['%%', `${word}%`]) expect(namesOf(await enterprises({ text })), text).toEqual([]);
  });

  it('finds an enterprise by its id, its code and its CRM number', async () => {
    const center = await MemberCenter.open(stack, api);
    const { crmCustomerId, name } = await show(center.enterpriseId);
    for (const text of [center.enterpriseId, center.code, center.code.toUpperCase(), crmCustomerId!]) {
      expect(namesOf(await enterprises({ text }))).toContain(name);
    }
  });

  it('shows the newest first without a search', async () => {
    const [one, two] = [`Enterprise ${randomUUID()}`, `Enterprise ${randomUUID()}`];
    await bind(one);
    await bind(two);
    const first = await enterprises({ limit: '1' });
    expect(namesOf(first)).toEqual([two]);
    expect(namesOf(await enterprises({ limit: '1', cursor: first.nextCursor! }))).toEqual([one]);
  });
});

describe('the list of customers', () => {
  it('finds a customer by its id, by its number in any channel, and by its name', async () => {
    const [number, word] = [randomUUID(), randomUUID()];
    const one = await bind(`Enterprise ${randomUUID()}`, { channelCustomerId: number, customerName: `${word} One` });
    const two = await bind(one.enterpriseName, {
      channelCode: 'other',
      channelCustomerId: number,
      customerName: `${number} Two`,
    });
    const idsOf = (found: { customerId: string }[]) => found.map(({ customerId }) => customerId);
    expect(idsOf((await customers({ text: number })).customers)).toEqual([two.customerId, one.customerId]);
    expect(idsOf((await customers({ text: number, channelCode: 'other' })).customers)).toEqual([two.customerId]);
    expect(idsOf((await customers({ text: two.customerId })).customers)).toEqual([two.customerId]);
    expect((await customers({ text: word.toUpperCase() })).customers).toMatchObject([
      { customerId: one.customerId, enterpriseName: one.enterpriseName, isDefault: true, channelCode: 'test' },
    ]);
    const { enterpriseGlobalId } = one;
    expect(idsOf((await customers({ enterpriseGlobalId })).customers)).toEqual([two.customerId, one.customerId]);
    const first = await customers({ enterpriseGlobalId, limit: '1' });
    const second = await customers({ enterpriseGlobalId, limit: '1', cursor: first.nextCursor! });
    expect(idsOf([...first.customers, ...second.customers])).toEqual([two.customerId, one.customerId]);
    expect(second.nextCursor).toBeNull();
  });
});

it('the list of customers shows a viewer who buys, but no address, account or e-mail, and the end of mobile numbers', async () => {
  const customer = await api.newCustomer();
  const text = customer.customerId;
  expect((await customers({ text })).customers).toMatchObject([{ contact: null }]);
  const [order] = await api.carryOut(newBuy(customer, [newAssetNum()]));
  const contact = { ...SAID, licenseOrderId: order!.licenseOrderId };
  expect((await support.call('listCustomers', { query: { text } })).customers).toMatchObject([{ contact }]);
  const hidden = Object.fromEntries(['address', 'adminAccount', 'adminEmail'].map((field) => [field, HIDDEN]));
  const end = '•••••••0000';
  const shown = { ...contact, ...hidden, adminCellNumber: end, passwordMobile: end };
  expect((await customers({ text })).customers).toMatchObject([{ contact: shown }]);
});

describe('an enterprise', () => {
  it('shows who created it, its administrators, and only the end of its mobile number', async () => {
    const center = await MemberCenter.open(stack, api);
    expect(await show(center.enterpriseId)).toMatchObject({
      code: center.code,
      createdBy: { appKey: api.credentials.appKey },
      customerCount: 2,
      employeeCount: 2,
      administrators: [{ memberGlobalId: center.adminId, account: center.account, hasPassword: true }],
    });
    const { enterpriseGlobalId } = await bind(`Enterprise ${randomUUID()}`);
    expect(await show(enterpriseGlobalId)).toMatchObject({
      createdBy: null,
      securityMobile: '•••••••5678',
      administrators: [],
    });
  });

  it('is not read by an invalid id', async () => {
    const malformed = await viewer.send('getEnterprise', { params: { enterpriseGlobalId: 'x' as EnterpriseId } });
    expect(malformed).toMatchObject({ status: 400, body: { cause: 'field_invalid' } });
  });

  it('lists its employees with their assets, and its changes', async () => {
    const center = await MemberCenter.open(stack, api);
    const [asset, free] = await center.buy(2);
    const [lock] = await center.buyLocks();
    const [kim] = await center.add({ userName: 'kim', name: 'Kim', password: 'correct horse' });
    await center.edit(kim!.globalId, { userName: 'kim', name: '<i>Kim</i>', passwordMobile: '13800001111' });
    await center.assign(kim!.globalId, asset!.assetNum, free!.assetNum);
    dataOf(await center.lend(kim!.globalId, lock!.assetNum, [asset!.assetId]));
    const params = { enterpriseGlobalId: center.enterpriseId };
    const { employees } = await viewer.call('listEmployees', { params, query: { limit: '1' } });
    expect(employees).toMatchObject([
      {
        account: `kim@${center.code}`,
        name: '<i>Kim</i>',
        isAdministrator: false,
        hasPassword: true,
        passwordMobile: '•••••••1111',
        heldCount: 2,
        held: [
          {
            assetNum: asset!.assetNum,
            lentInto: lock!.assetNum,
            verdict: { usable: false, reasons: [{ reason: 'lent' }] },
          },
          { assetNum: free!.assetNum, lentInto: null, verdict: { usable: true } },
        ],
      },
    ]);
    const search = async (text: string) => (await viewer.call('listEmployees', { params, query: { text } })).employees;
    expect(await search('KIM@')).toHaveLength(1);
    expect(await search('%')).toHaveLength(0);
    expect(await search('admin')).toMatchObject([{ account: center.account, heldCount: 0, held: [] }]);

    const { products, total } = await viewer.call('getSeats', { params });
    expect(products).toMatchObject([{ productUri: 'gms-100', ...total }]);
    expect(total).toEqual({ owned: 2, assigned: 2, lent: 1, free: 0, expired: 0, endingSoon: 0 });
    const { holdings } = await viewer.call('listHoldings', { params, query: { memberGlobalId: kim!.globalId } });
    expect(holdings).toMatchObject([
      { kind: 'loan', lockAssetNum: lock!.assetNum, beganByAccount: center.account, endedByAccount: null },
      { kind: 'assignment', memberName: '<i>Kim</i>', beganByAccount: center.account },
      { kind: 'assignment' },
    ]);

    const audit = (query = {}) => viewer.call('listEnterpriseAuditLog', { params, query });
    const { entries } = await audit();
    expect(entries.map(({ action }) => action)).toEqual([
      'assets_lent',
      'assets_configured',
      'employee_edited',
      'employee_added',
    ]);
    expect(entries[2]).toMatchObject({
      actorAccount: center.account,
      targetAccount: `kim@${center.code}`,
      detail: {
        before: { name: 'Kim', passwordMobile: null },
        after: { name: '<i>Kim</i>', passwordMobile: '•••••••1111' },
      },
    });
    const first = await audit({ limit: '3' });
    expect((await audit({ limit: '3', cursor: first.nextCursor! })).entries).toEqual(entries.slice(3));
  });
});

it('a viewer sees no address of a customer, and support sees it', async () => {
  const address = '1 Main Street';
  const body = { crmCustomerId: randomUUID(), customerName: `E ${randomUUID()}`, branchName: 'B', address };
  const { enterpriseGlobalId } = dataOf(await api.ask('createEnterprise', { body }));
  const addressesFor = async (operator: ConsoleClient) => {
    const { customers: listed } = await operator.call('listCustomers', {
      query: { enterpriseGlobalId: enterpriseGlobalId as EnterpriseId, text: body.crmCustomerId },
    });
    return listed.map((each) => each.address);
  };
  expect(new Set(await addressesFor(viewer))).toEqual(new Set(['(hidden)']));
  expect(new Set(await addressesFor(support))).toEqual(new Set([address]));
});

describe('the security mobile number of an enterprise', () => {
  const set = (enterpriseGlobalId: EnterpriseId, securityMobile: string) =>
    support.send('setSecurityMobile', { params: { enterpriseGlobalId }, body: { securityMobile } });

  it('that a stranger could not set is set by an operator, corrected, and recorded without its first digits', async () => {
    const center = await MemberCenter.open(stack, api);
    const { enterpriseId } = center;
    const { name } = await show(enterpriseId);
    const stranger = await stack.newApi();
    const body = { channelCode: 'test', customerName: 'C', branchName: 'B', enterpriseName: name };
    const bindAs = (passwordMobile: string) =>
      stranger.ask('bindCustomer', { body: { ...body, channelCustomerId: randomUUID(), passwordMobile } });
    expect(refusalOf(await bindAs('13812340001')).cause).toBe('enterprise_mobile_missing');
    for (const mobile of ['13812340001', '13812340002']) expect((await set(enterpriseId, mobile)).status).toBe(200);
    expect(refusalOf(await bindAs('13812340001')).cause).toBe('enterprise_mobile_mismatch');
    expect(dataOf(await bindAs('13812340002')).enterpriseGlobalId).toBe(enterpriseId);
    const [entry] = (await auditLogsOf(enterpriseId)).operators;
    expect(entry).toMatchObject({
      action: 'enterprise.mobile_set',
      target: enterpriseId,
      before: { securityMobile: '•••••••0001' },
      after: { securityMobile: '•••••••0002' },
    });
  });

  it('is not empty', async () => {
    const center = await MemberCenter.open(stack, api);
    expect((await set(center.enterpriseId, '')).body).toMatchObject({ cause: 'field_missing' });
  });
});

describe("the first administrator's password", () => {
  const create = (enterpriseGlobalId: EnterpriseId) =>
    support.send('createFirstAdministrator', { params: { enterpriseGlobalId } });

  it('is shown once, lets the administrator in, and is in no audit log', async () => {
    const { enterpriseGlobalId } = await bind(`Enterprise ${randomUUID()}`);
    const { body } = await create(enterpriseGlobalId);
    const { account, password, memberGlobalId } = body.data;
    expect((await askUserToken(stack.baseUrl, api.credentials, { account, password })).status).toBe(200);
    const logs = await auditLogsOf(enterpriseGlobalId);
    expect(logs.enterprise).toMatchObject([
      { action: 'employee_added', actorGlobalId: '0', actorAccount: null, targetGlobalId: memberGlobalId },
    ]);
    expect(logs.operators[0]).toMatchObject({
      action: 'administrator.created',
      target: memberGlobalId,
      before: null,
      after: { enterpriseGlobalId, account },
      request_id: logs.enterprise[0]!.requestId,
    });
    expect(JSON.stringify(logs)).not.toContain(password);
    expect(stack.logLines.join()).not.toContain(password);
  });

  it('is created once, even by concurrent calls', async () => {
    const { enterpriseGlobalId } = await bind(`Enterprise ${randomUUID()}`);
    const answers = await Promise.all([create(enterpriseGlobalId), create(enterpriseGlobalId)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const refused = answers.find(({ status }) => status === 409)!;
    expect(refused.body).toMatchObject({ cause: 'changed_meanwhile', message: expect.stringContaining('admin@') });
    expect((await auditLogsOf(enterpriseGlobalId)).enterprise).toHaveLength(1);
  });
});

describe('a new password for an administrator', () => {
  it('ends what was logged in, lets the administrator in, and is recorded', async () => {
    const center = await MemberCenter.open(stack, api);
    const params = { enterpriseGlobalId: center.enterpriseId, memberGlobalId: center.adminId };
    const { account, password } = await support.call('resetAdministratorPassword', { params });
    expect(account).toBe(center.account);
    expect(refusalOf(await center.submitList({ pageNum: '1', pageSize: '1' })).code).toBe('60005');
    expect((await askUserToken(stack.baseUrl, api.credentials, { account, password })).status).toBe(200);
    const logs = await auditLogsOf(center.enterpriseId);
    expect(logs.enterprise).toMatchObject([{ action: 'password_reset', actorGlobalId: '0' }]);
    expect(logs.operators[0]).toMatchObject({ action: 'administrator.password_reset', target: center.adminId });
    expect(JSON.stringify(logs)).not.toContain(password);
  });

  it('is refused for other employees and for those of another enterprise', async () => {
    const [center, elsewhere] = [await MemberCenter.open(stack, api), await MemberCenter.open(stack, api)];
    for (const memberGlobalId of [center.cloudId, elsewhere.adminId]) {
      const params = { enterpriseGlobalId: center.enterpriseId, memberGlobalId };
      expect((await support.send('resetAdministratorPassword', { params })).status).toBe(404);
    }
    expect((await auditLogsOf(center.enterpriseId)).enterprise).toEqual([]);
  });
});
