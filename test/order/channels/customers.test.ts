import { randomInt, randomUUID } from 'node:crypto';
import { CreatedEnterprise, Customer, type EnterpriseId } from '@lockstep/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Answer, dataOf, pathIn, refusalOf } from '../../harness/api.ts';
import { contentOfTables } from '../../harness/databases/tables.ts';
import { batchOf, newAssetNum, newBuy, type Sent } from '../../harness/orders/orders.ts';
import { testStack } from '../../harness/stack.ts';

/** O1 to O4 manage customers and enterprise main accounts (rules 5). */

const { stack, api } = await testStack();

const strictCustomer = z.strictObject(Customer.shape);
const strictEnterprise = z.strictObject({
  ...CreatedEnterprise.shape,
  members: z.array(z.strictObject(CreatedEnterprise.shape.members.element.shape)),
});
const ID = /^[1-9]\d{0,18}$/;

const newMobile = () => `13${String(randomInt(1e9)).padStart(9, '0')}`;
const newName = () => `Enterprise ${randomUUID()}`;

/** An O1 body with a new customer, enterprise and mobile number. */
const binding = (changes: Sent = {}) => ({
  channelCode: 'test',
  channelCustomerId: randomUUID() as string,
  customerName: 'Customer',
  branchName: 'Branch',
  enterpriseName: newName(),
  passwordMobile: newMobile(),
  ...changes,
});
/** A new O2 body. */
const creation = (changes: Sent = {}) => ({
  crmCustomerId: randomUUID() as string,
  customerName: newName(),
  branchName: 'Branch',
  address: '1 Main Street',
  ...changes,
});

const submitBind = (body: Sent) => api.call('POST', '/enterprise/user/bind', { body });
const submitCreate = (body: Sent) => api.call('POST', '/enterprise/user/create', { body });
const bind = async (body: Sent): Promise<Customer> => strictCustomer.parse(dataOf(await submitBind(body)));
const create = async (body: Sent): Promise<CreatedEnterprise> =>
  strictEnterprise.parse(dataOf(await submitCreate(body)));
/** Returns the customers of a customer's enterprise (O3). */
async function query(channelCode: string, channelCustomerId: string, defaultCustomer: 'Y' | 'N' = 'N') {
  const options = { query: { channelCode, channelCustomerId, defaultCustomer } };
  return z.array(strictCustomer).parse(dataOf(await api.call('GET', '/enterprise/user/query', options)));
}

const causeOf = (answer: Answer) => {
  const { code, cause } = refusalOf(answer);
  expect(code).toBe('13004');
  return cause;
};
const countEnterprises = async (name: string) =>
  (await stack.db.selectFrom('enterprise').select('id').where('name', '=', name).execute()).length;
const membersOf = (enterpriseId: EnterpriseId) =>
  stack.db.selectFrom('member').selectAll().where('enterprise_id', '=', enterpriseId).orderBy('id').execute();
const twenty = <Result>(call: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: 20 }, (_, index) => call(index)));
/** Expects that one of 20 calls succeeded and that the others were refused for one cause. */
function expectOneOfTwenty(answers: Answer[], cause: string): void {
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.map(causeOf)).toEqual(Array(19).fill(cause));
}

describe('O1 binds a customer', () => {
  it('to a new enterprise, of which it becomes the default, and which can order at once', async () => {
    const body = binding();
    const bound = await bind(body);
    expect(bound).toEqual({
      customerId: expect.stringMatching(ID),
      channelCode: 'test',
      channelCustomerId: body.channelCustomerId,
      enterpriseGlobalId: expect.stringMatching(ID),
      enterpriseName: body.enterpriseName,
      isDefault: true,
      contact: null,
    });
    expect(await membersOf(bound.enterpriseGlobalId)).toEqual([]);
    expect(await api.process(batchOf(newBuy(bound, [newAssetNum()])))).toMatchObject([{ state: 'succeeded' }]);
  });

  it('to the enterprise whose name and mobile number look the same, of which it is not the default', async () => {
    const body = binding({ enterpriseName: `${newName()} Zoë`, passwordMobile: '+8613800000000' });
    const first = await bind(body);
    expect(await readMobile(first)).toBe('13800000000');
    const { enterpriseGlobalId, enterpriseName } = first;
    for (const passwordMobile of ['13800000000', ' +8613800000000 ']) {
      const again = binding({ enterpriseName: enterpriseName.normalize('NFD'), passwordMobile });
      expect(await bind(again)).toMatchObject({
        enterpriseGlobalId,
        enterpriseName: body.enterpriseName,
        isDefault: false,
      });
    }
  });

  it.each<[how: string, vary: (name: string) => string]>([
    ['in different case', (name) => name.toUpperCase()],
    ['with two blanks inside', (name) => name.replace(' ', '  ')],
    ['that has only the same beginning', (name) => name.slice(0, -1)],
    ['with a wildcard', (name) => `${name.slice(0, -1)}%`],
  ])('to another enterprise for a name %s', async (_how, vary) => {
    const body = binding();
    const first = await bind(body);
    const second = await bind(binding({ enterpriseName: vary(body.enterpriseName) }));
    expect(second.enterpriseGlobalId).not.toBe(first.enterpriseGlobalId);
    expect(second.isDefault).toBe(true);
  });

  it('again, and returns the same customer, whatever the names in the call', async () => {
    const body = binding();
    const first = await bind(body);
    expect(await bind(body)).toEqual(first);
    expect(await bind({ ...body, customerName: 'Renamed', branchName: 'Moved' })).toEqual(first);
    expect(await query('test', body.channelCustomerId)).toEqual([first]);
  });

  it('separately in each channel', async () => {
    const body = binding();
    const first = await bind(body);
    const second = await bind({ ...body, channelCode: 'test2' });
    expect(second).toMatchObject({ enterpriseGlobalId: first.enterpriseGlobalId, isDefault: false });
    expect(second.customerId).not.toBe(first.customerId);
  });

  it('to an enterprise of O2, and sets its mobile number, which is then on file', async () => {
    const made = creation();
    const { enterpriseGlobalId } = await create(made);
    const body = binding({ enterpriseName: made.customerName });
    expect(await bind(body)).toMatchObject({ enterpriseGlobalId, isDefault: false });
    expect(causeOf(await submitBind(binding({ enterpriseName: made.customerName })))).toBe(
      'enterprise_mobile_mismatch',
    );
    const again = binding({ enterpriseName: made.customerName, passwordMobile: body.passwordMobile });
    expect(await bind(again)).toMatchObject({ enterpriseGlobalId });
  });

  it('that O2 created, and returns it', async () => {
    const made = creation();
    const { enterpriseGlobalId } = await create(made);
    const channelCustomerId = made.crmCustomerId;
    const body = binding({ channelCode: 'crm', channelCustomerId, enterpriseName: made.customerName });
    expect(await bind(body)).toMatchObject({ channelCode: 'crm', enterpriseGlobalId, isDefault: true });
    expect(await query('crm', channelCustomerId)).toHaveLength(2);
  });
});

async function readMobile({ enterpriseGlobalId }: Pick<Customer, 'enterpriseGlobalId'>): Promise<string | null> {
  const query = stack.db.selectFrom('enterprise').select('security_mobile').where('id', '=', enterpriseGlobalId);
  const { security_mobile } = await query.executeTakeFirstOrThrow();
  return security_mobile;
}

describe('O1 refuses', () => {
  it('a mobile number other than the one on file, and binds nothing', async () => {
    const body = binding();
    const first = await bind(body);
    const other = { ...body, channelCustomerId: randomUUID(), passwordMobile: newMobile() };
    for (const answer of [await submitBind(other), await submitBind({ ...body, passwordMobile: newMobile() })]) {
      expect(causeOf(answer)).toBe('enterprise_mobile_mismatch');
      expect(pathIn(refusalOf(answer).message)).toBe('passwordMobile');
      expect(refusalOf(answer).message).not.toContain(body.passwordMobile);
    }
    expect(await query('test', other.channelCustomerId)).toEqual([]);
    expect(await query('test', body.channelCustomerId)).toEqual([first]);
    expect(await readMobile(first)).toBe(body.passwordMobile);
  });

  it('to set the mobile number of an enterprise that another application created by O2', async () => {
    const made = creation();
    const { enterpriseGlobalId } = await create(made);
    const body = binding({ enterpriseName: made.customerName });
    const stranger = await stack.newApi(['auth_order']);
    expect(causeOf(await stranger.call('POST', '/enterprise/user/bind', { body }))).toBe('enterprise_mobile_missing');
    expect(await query('test', body.channelCustomerId)).toEqual([]);
    expect(await bind(body)).toMatchObject({ enterpriseGlobalId });
    const other = { ...body, channelCustomerId: randomUUID() };
    expect(dataOf(await stranger.call('POST', '/enterprise/user/bind', { body: other }))).toMatchObject({
      enterpriseGlobalId,
    });
  });

  it('a customer that is bound elsewhere, and neither creates nor changes the named enterprise', async () => {
    const [one, other] = [binding(), binding()];
    const first = await bind(one);
    await bind(other);
    const { enterpriseName, passwordMobile } = other;
    const made = creation();
    const enterprise = await create(made);
    const missing = newName();
    const named = [
      { enterpriseName, passwordMobile },
      { enterpriseName: made.customerName },
      { enterpriseName: missing },
    ];
    for (const names of named) {
      expect(causeOf(await submitBind({ ...one, ...names }))).toBe('customer_bound_elsewhere');
    }
    expect(await query('test', one.channelCustomerId)).toEqual([first]);
    expect(await readMobile(enterprise)).toBeNull();
    expect(await countEnterprises(missing)).toBe(0);
  });
});

describe('20 concurrent calls of O1', () => {
  it('for a new enterprise and different customers create one enterprise with exactly one default', async () => {
    const body = binding();
    const bound = await twenty((index) => bind({ ...body, channelCustomerId: `${body.channelCustomerId}-${index}` }));
    expect(new Set(bound.map(({ enterpriseGlobalId }) => enterpriseGlobalId)).size).toBe(1);
    expect(new Set(bound.map(({ customerId }) => customerId)).size).toBe(20);
    const defaults = bound.filter(({ isDefault }) => isDefault);
    expect(defaults).toHaveLength(1);
    const oldestFirst = bound.toSorted((a, b) => Number(a.customerId) - Number(b.customerId));
    expect(await query('test', `${body.channelCustomerId}-7`)).toEqual(oldestFirst);
    expect(await query('test', `${body.channelCustomerId}-7`, 'Y')).toEqual(defaults);
    expect(await countEnterprises(body.enterpriseName)).toBe(1);
  });

  it('for the same new customer create and return one customer', async () => {
    const body = binding();
    const bound = await twenty(() => bind(body));
    for (const answer of bound) expect(answer).toEqual(bound[0]);
    expect(await query('test', body.channelCustomerId)).toEqual([bound[0]]);
  });

  it('for one new customer and 20 new enterprises bind it to one of them and create no other', async () => {
    const bodies = Array.from({ length: 20 }, () => binding());
    const { channelCustomerId } = bodies[0]!;
    const answers = await twenty((index) => submitBind({ ...bodies[index], channelCustomerId }));
    expectOneOfTwenty(answers, 'customer_bound_elsewhere');
    const made = await Promise.all(bodies.map(({ enterpriseName }) => countEnterprises(enterpriseName)));
    expect(made.reduce((sum, count) => sum + count)).toBe(1);
    expect(await query('test', channelCustomerId)).toHaveLength(1);
  });

  it.each([
    ['a new enterprise', false],
    ['an enterprise without one', true],
  ])('with 20 mobile numbers for %s put one of them on file', async (_what, exists) => {
    const enterpriseName = newName();
    if (exists) await create(creation({ customerName: enterpriseName }));
    const answers = await twenty(() => submitBind(binding({ enterpriseName })));
    expectOneOfTwenty(answers, 'enterprise_mobile_mismatch');
  });
});

describe('O2 creates an enterprise', () => {
  it('with its administrator and its cloud-licensed employee', async () => {
    const made = await create(creation());
    const member = {
      memberGlobalId: expect.stringMatching(ID),
      memberIdentity: expect.stringMatching(/^[A-Za-z0-9]+@[a-z0-9]{6,10}$/),
    };
    expect(made).toEqual({
      enterpriseGlobalId: expect.stringMatching(ID),
      defaultType: true,
      members: [member, member],
    });
    const [first, second] = made.members;
    expect(first!.memberGlobalId).not.toBe(second!.memberGlobalId);
    expect(first!.memberIdentity).not.toBe(second!.memberIdentity);
    expect(first!.memberIdentity.split('@')[1]).toBe(second!.memberIdentity.split('@')[1]);
    const members = await membersOf(made.enterpriseGlobalId);
    expect(members.map(({ is_administrator }) => is_administrator).toSorted()).toEqual([false, true]);
  });

  it('with its default customer and its industry customer', async () => {
    const body = creation();
    const { enterpriseGlobalId } = await create(body);
    const shared = { channelCustomerId: body.crmCustomerId, enterpriseGlobalId, enterpriseName: body.customerName };
    const customers = [
      { ...shared, customerId: expect.stringMatching(ID), channelCode: 'crm', isDefault: true, contact: null },
      { ...shared, customerId: expect.stringMatching(ID), channelCode: 'industry', isDefault: false, contact: null },
    ];
    expect(await query('crm', body.crmCustomerId)).toEqual(customers);
    expect(await query('industry', body.crmCustomerId)).toEqual(customers);
    expect(await query('industry', body.crmCustomerId, 'Y')).toEqual(customers.slice(0, 1));
  });

  it('with separate codes', async () => {
    const made = await twenty(() => create(creation()));
    expect(new Set(made.map(({ members }) => members[0]!.memberIdentity.split('@')[1])).size).toBe(20);
  });

  it('again, with the same answer, and changes nothing, whatever the names in the call', async () => {
    const [body, another] = [creation(), creation()];
    const [first] = [await create(body), await create(another)];
    const before = await contentOfTables(stack.db);
    const others = { customerName: newName(), branchName: 'Moved', address: 'Elsewhere' };
    const spaced = { crmCustomerId: ` ${body.crmCustomerId} `, address: undefined };
    const { customerName } = another;
    for (const changes of [{}, others, spaced, { customerName }])
      expect(await create({ ...body, ...changes })).toEqual(first);
    expect(await contentOfTables(stack.db)).toEqual(before);
  });

  it('again for another application, which gets the enterprise and none of its accounts', async () => {
    const body = creation();
    const first = await create(body);
    const other = await stack.newApi();
    const before = await contentOfTables(stack.db);
    const repeat = dataOf(await other.call('POST', '/enterprise/user/create', { body }));
    expect(repeat).toEqual({ ...first, members: [] });
    expect(await contentOfTables(stack.db)).toEqual(before);
    expect(await create(body)).toEqual(first);
  });
});

describe('O2 refuses', () => {
  it.each<[who: string, make: (name: string) => Promise<unknown>]>([
    ['O2', (customerName) => create(creation({ customerName }))],
    ['O1', (enterpriseName) => bind(binding({ enterpriseName }))],
  ])('a name that an enterprise of %s has', async (_who, make) => {
    const customerName = newName();
    await make(customerName);
    const body = creation({ customerName: ` ${customerName} ` });
    const answer = await submitCreate(body);
    expect(causeOf(answer)).toBe('enterprise_name_taken');
    expect(pathIn(refusalOf(answer).message)).toBe('customerName');
    expect(await query('crm', body.crmCustomerId)).toEqual([]);
    expect(await countEnterprises(customerName)).toBe(1);
  });

  it.each(['crm', 'industry'])('a crmCustomerId that O1 has already bound in the channel %s', async (channelCode) => {
    const body = creation();
    const bound = await bind(binding({ channelCode, channelCustomerId: body.crmCustomerId }));
    expect(causeOf(await submitCreate(body))).toBe('customer_bound_elsewhere');
    expect(await countEnterprises(body.customerName)).toBe(0);
    expect(await query(channelCode, body.crmCustomerId)).toEqual([bound]);
  });
});

describe('20 concurrent calls of O2', () => {
  it.each([1, 2, 3, 4, 5])('of the same content create one enterprise and return the same, round %i', async () => {
    const body = creation();
    const answers = await twenty(() => submitCreate(body));
    const made = strictEnterprise.parse(dataOf(answers[0]!));
    for (const answer of answers) expect(answer.body).toEqual({ code: 0, message: 'success', data: made });
    expect(await query('crm', body.crmCustomerId)).toHaveLength(2);
    expect(await membersOf(made.enterpriseGlobalId)).toHaveLength(2);
    expect(await countEnterprises(body.customerName)).toBe(1);
  });

  it('for one crmCustomerId and 20 names create one enterprise', async () => {
    const { crmCustomerId } = creation();
    const made = await twenty(() => create(creation({ crmCustomerId })));
    for (const answer of made) expect(answer).toEqual(made[0]);
    expect(await query('crm', crmCustomerId)).toHaveLength(2);
  });

  it('for one name and 20 customers give the name to one of them', async () => {
    const { customerName } = creation();
    const answers = await twenty(() => submitCreate(creation({ customerName })));
    expectOneOfTwenty(answers, 'enterprise_name_taken');
    expect(await countEnterprises(customerName)).toBe(1);
  });

  it('and O1 for the same name create one enterprise with exactly one default', async () => {
    const body = creation();
    const mobile = newMobile();
    const answers = await twenty((index) =>
      index % 2 === 0
        ? submitCreate(body)
        : submitBind(binding({ enterpriseName: body.customerName, passwordMobile: mobile })),
    );
    const created = answers.filter((_, index) => index % 2 === 0);
    const bound = answers.filter((_, index) => index % 2 === 1).map((answer) => strictCustomer.parse(dataOf(answer)));
    expect(new Set(bound.map(({ enterpriseGlobalId }) => enterpriseGlobalId)).size).toBe(1);
    const causes = created.filter(({ status }) => status !== 200).map(causeOf);
    expect(causes).toEqual(causes.length === 0 ? [] : Array(10).fill('enterprise_name_taken'));
    const customers = await query('test', bound[0]!.channelCustomerId);
    expect(customers.filter(({ isDefault }) => isDefault)).toHaveLength(1);
    expect(customers).toHaveLength(causes.length === 0 ? 12 : 10);
    expect(await countEnterprises(body.customerName)).toBe(1);
  });

  it('and O1 for the same pair leave the pair with one of them', async () => {
    const body = creation();
    const rival = binding({ channelCode: 'industry', channelCustomerId: body.crmCustomerId });
    const answers = await twenty((index) => (index % 2 === 0 ? submitCreate(body) : submitBind(rival)));
    const [created, bound] = [0, 1].map((rest) => answers.filter((_, index) => index % 2 === rest));
    const [winners, losers] = created![0]!.status === 200 ? [created!, bound!] : [bound!, created!];
    for (const answer of winners) expect(dataOf(answer)).toEqual(dataOf(winners[0]!));
    for (const answer of losers) expect(causeOf(answer)).toBe('customer_bound_elsewhere');
    expect((await countEnterprises(body.customerName)) + (await countEnterprises(rival.enterpriseName))).toBe(1);
  });
});

describe('O3 returns', () => {
  it('an empty list if there is no such customer', async () => {
    for (const defaultCustomer of ['N', 'Y'] as const) {
      expect(await query('test', randomUUID(), defaultCustomer)).toEqual([]);
    }
  });

  it('matches for the exact code and ID, without the blanks around them', async () => {
    const body = binding({ channelCustomerId: `Exact-${randomUUID()}` });
    const bound = await bind(body);
    expect(await query(' test ', ` ${body.channelCustomerId} `)).toEqual([bound]);
    for (const channelCode of ['TEST', 'test2']) expect(await query(channelCode, body.channelCustomerId)).toEqual([]);
    for (const id of [body.channelCustomerId.toLowerCase(), `${body.channelCustomerId.slice(0, -1)}%`]) {
      expect(await query('test', id)).toEqual([]);
    }
  });
});

describe('O4 changes', () => {
  const submitUpdate = (body: Sent) => api.call('POST', '/enterprise/user/update', { body });
  const DONE = { code: 0, message: 'success' };

  /** Returns the stored name, branch and address of the customers that O2 created for a crmCustomerId, by channel. */
  async function readStored(crmCustomerId: string) {
    const { rows } = await sql<{ channel_code: string }>`
      select channel_code, name, branch_name, address from customer
      where channel_customer_id = ${crmCustomerId}`.execute(stack.db);
    return Object.fromEntries(rows.map(({ channel_code, ...stored }) => [channel_code, stored]));
  }

  /** Returns all customers but one pair, to detect changes in the wrong place. */
  const othersThan = (crmCustomerId: string) =>
    sql`select * from customer where channel_customer_id <> ${crmCustomerId} order by id`.execute(stack.db);

  /** Creates an enterprise by O2. Returns it with the body sent. */
  async function created(changes: Sent = {}) {
    const body = creation(changes);
    return { body, ...(await create(body)) };
  }
  const boundBy = async (changes: Sent) => (await bind(binding(changes))).channelCustomerId;
  const asMade = ({ customerName, branchName, address }: Sent) => ({
    name: customerName,
    branch_name: branchName,
    address,
  });

  it('name, branch and address of the CRM customer, and nothing else', async () => {
    const [{ body: taken }, { body, enterpriseGlobalId }] = [await created(), await created()];
    await bind(binding({ channelCode: 'crm', enterpriseName: body.customerName }));
    const customers = await query('crm', body.crmCustomerId);
    const [members, others] = [await membersOf(enterpriseGlobalId), await othersThan(body.crmCustomerId)];
    // A name that another enterprise and its customers have.
    const { customerName } = taken;
    const change = { ...body, customerName, branchName: 'Moved', address: 'New 2' };
    const answer = await submitUpdate(change);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(DONE);
    expect(Object.keys(answer.body)).toEqual(['code', 'message']);
    expect(await readStored(body.crmCustomerId)).toEqual({ crm: asMade(change), industry: asMade(body) });
    expect(await query('crm', body.crmCustomerId)).toEqual(customers);
    expect(customers[0]!.enterpriseName).toBe(body.customerName);
    expect(await membersOf(enterpriseGlobalId)).toEqual(members);
    expect(await othersThan(body.crmCustomerId)).toEqual(others);
  });

  it.each<Sent>([{}, { address: null }, { address: '' }, { address: ' \t ' }])(
    'no address if it has %j',
    async (sent) => {
      const { address, ...names } = (await created()).body;
      const change = { ...names, customerName: 'Renamed', branchName: 'B2' };
      expect((await submitUpdate({ ...change, ...sent })).body).toEqual(DONE);
      expect((await readStored(names.crmCustomerId)).crm).toEqual(asMade({ ...change, address }));
    },
  );

  it('values that a later O2 leaves alone, and takes no enterprise’s name', async () => {
    const { body, enterpriseGlobalId } = await created();
    const customerName = newName();
    await submitUpdate({ ...body, customerName });
    const after = await readStored(body.crmCustomerId);
    expect((await create(body)).enterpriseGlobalId).toBe(enterpriseGlobalId);
    expect(await readStored(body.crmCustomerId)).toEqual(after);
    expect((await create(creation({ customerName }))).enterpriseGlobalId).not.toBe(enterpriseGlobalId);
    expect(causeOf(await submitCreate(creation({ customerName: body.customerName })))).toBe('enterprise_name_taken');
  });

  it('all fields of a customer to the values of one of 20 concurrent calls', async () => {
    const { body } = await created();
    const { crmCustomerId } = body;
    const changeOf = (index: number) => ({
      crmCustomerId,
      customerName: `Name ${index}`,
      branchName: `Branch ${index}`,
      address: `Street ${index}`,
    });
    const answers = await twenty((index) => submitUpdate(changeOf(index)));
    expect(answers.map((answer) => answer.body)).toEqual(Array(20).fill(DONE));
    const stored = await readStored(crmCustomerId);
    expect(answers.map((_, index) => asMade(changeOf(index)))).toContainEqual(stored.crm);
    expect(stored.industry).toEqual(asMade(body));
  });

  it.each<[who: string, idOf: (made: Awaited<ReturnType<typeof created>>) => string | Promise<string>]>([
    ['that is unknown', () => randomUUID()],
    ['that O1 bound in the channel crm, to an enterprise of O1', () => boundBy({ channelCode: 'crm' })],
    [
      'that O1 bound in the channel crm, to an enterprise of O2',
      ({ body }) => boundBy({ channelCode: 'crm', enterpriseName: body.customerName }),
    ],
    ['that O1 bound in the channel industry', () => boundBy({ channelCode: 'industry' })],
    ['in different case', ({ body }) => body.crmCustomerId.toLowerCase()],
    ['with a wildcard', ({ body }) => `${body.crmCustomerId.slice(0, -1)}%`],
    ['that is an enterprise’s id', ({ enterpriseGlobalId }) => enterpriseGlobalId],
  ])('nothing for a crmCustomerId %s', async (_who, idOf) => {
    const crmCustomerId = await idOf(await created({ crmCustomerId: `CRM-${randomUUID()}` }));
    const before = await contentOfTables(stack.db);
    const answer = await submitUpdate({ crmCustomerId, customerName: 'Renamed', branchName: 'Moved', address: 'New' });
    expect(causeOf(answer)).toBe('customer_not_found');
    expect(refusalOf(answer).message).toContain(crmCustomerId);
    expect(await contentOfTables(stack.db)).toEqual(before);
  });
});
