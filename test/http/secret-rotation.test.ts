import { type Credentials, createApplication, listApplications, rotateSecret } from '@lockstep/access';
import { operations, TokenAnswer } from '@lockstep/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Answer, Api, dataOf, refusalOf } from '../harness/api.ts';
import { askUserToken, MemberCenter } from '../harness/members/member-center.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { testStack } from '../harness/stack.ts';

/** An application gets a new secret, and nothing else about it changes (rules 2). */

const { stack } = await testStack({ worker: false });

const newApplication = (): Promise<Credentials> =>
  createApplication(stack.db, { name: 'Turning', scopes: ['auth_order', 'auth_me'], approved: true });

async function rotate({ appKey }: Credentials, overlapHours: number): Promise<Credentials> {
  const rotated = await rotateSecret(stack.db, appKey, overlapHours);
  expect(rotated).toEqual({ appKey, appSecret: expect.stringMatching(/^[\w-]{43}$/) });
  return rotated!;
}

async function askToken({ appKey, appSecret }: Credentials): Promise<Answer> {
  const response = await fetch(stack.baseUrl + operations.issueToken.path, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: appKey, client_secret: appSecret }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Returns for each secret whether it is valid. */
async function good(...each: Credentials[]): Promise<boolean[]> {
  const answers = await Promise.all(each.map(askToken));
  for (const { status, body } of answers) {
    if (status !== 200) expect([status, body.error]).toEqual([401, 'invalid_client']);
  }
  return answers.map(({ status }) => status === 200);
}

const listed = async ({ appKey }: Credentials) =>
  (await listApplications(stack.db)).find((application) => application.appKey === appKey)!;

/** Makes the overlap of an application end. */
const passOverlap = ({ appKey }: Credentials) =>
  sql`update application set old_secret_end_time = now() where app_key = ${appKey}`.execute(stack.db);

describe('after a rotation', () => {
  it('both secrets are valid until the overlap ends, then only the new one', async () => {
    const first = await newApplication();
    const second = await rotate(first, 24);
    expect(second.appSecret).not.toBe(first.appSecret);
    expect(await good(first, second)).toEqual([true, true]);
    await passOverlap(first);
    expect(await good(first, second)).toEqual([false, true]);
    expect(await listed(first)).toMatchObject({ oldSecretEndTime: null });
  });

  it('an overlap of 0 ends the old secret at once, and one from before with it', async () => {
    const first = await newApplication();
    const second = await rotate(first, 720);
    const third = await rotate(second, 0);
    expect(await good(first, second, third)).toEqual([false, false, true]);
    expect(await listed(first)).toMatchObject({ oldSecretEndTime: null });
    // The old secret is deleted, so setting the clock back can't make it valid again.
    const kept = stack.db.selectFrom('application').select('old_secret_hash').where('app_key', '=', first.appKey);
    expect(await kept.execute()).toEqual([{ old_secret_hash: null }]);
  });

  it('a second rotation ends the oldest secret: two are valid at once', async () => {
    const first = await newApplication();
    const second = await rotate(first, 720);
    const third = await rotate(second, 1);
    expect(await good(first, second, third)).toEqual([false, true, true]);
  });

  it('after two concurrent rotations, two of the three secrets are valid, including the last', async () => {
    const first = await newApplication();
    const others = await Promise.all([rotate(first, 24), rotate(first, 24)]);
    expect((await good(first, ...others)).toSorted()).toEqual([false, true, true]);
    expect(await good(...others)).toEqual([true, true]);
  });

  it.each([1, 24, 720])('the old secret ends %s hours later', async (hours) => {
    const application = await newApplication();
    const before = Date.now();
    await rotate(application, hours);
    const end = (await listed(application)).oldSecretEndTime!.getTime() - hours * 3_600_000;
    expect(end).toBeGreaterThanOrEqual(before);
    expect(end).toBeLessThanOrEqual(Date.now());
  });

  it('both secrets are valid for logins too, for as long', async () => {
    const center = await MemberCenter.open(stack);
    const { credentials: first } = center.api;
    const second = await rotate(first, 24);
    const logIn = async (credentials: Credentials) => (await askUserToken(stack.baseUrl, credentials, center)).status;
    expect([await logIn(first), await logIn(second)]).toEqual([200, 200]);
    await passOverlap(first);
    expect([await logIn(first), await logIn(second)]).toEqual([401, 200]);
  });

  it('earlier tokens stay valid with an overlap, also those of users', async () => {
    const center = await MemberCenter.open(stack);
    await rotate(center.api.credentials, 1);
    expect(await center.list()).toHaveLength(2);
    expect(await center.api.newCustomer()).toMatchObject({ channelCode: 'test' });
  });

  it('earlier tokens are revoked with an overlap of 0, also those of users', async () => {
    const center = await MemberCenter.open(stack);
    const rotated = await rotate(center.api.credentials, 0);
    expect(refusalOf(await center.submitList({}))).toMatchObject({ code: '60000', cause: 'token_invalid' });
    const { token } = await Api.logIn(stack.baseUrl, rotated);
    const answer = await center.submitList({}, { token, clientToken: token });
    expect(refusalOf(answer)).toMatchObject({ code: '60005', cause: 'user_token_invalid' });
  });

  it('an application that is not approved does not become so', async () => {
    const pending = await createApplication(stack.db, { name: 'Pending', scopes: ['auth_order'], approved: false });
    const answer = await askToken(await rotate(pending, 24));
    expect([answer.status, answer.body.error]).toEqual([400, 'unauthorized_client']);
  });

  it('the secrets do not appear in the database or in lists', async () => {
    const first = await newApplication();
    const second = await rotate(first, 24);
    const { rows } = await sql<{ row: string }>`
      select application::text as row from application where app_key = ${first.appKey}`.execute(stack.db);
    const stored = `${rows[0]!.row} ${JSON.stringify(await listApplications(stack.db))}`;
    for (const { appSecret } of [first, second]) expect(stored).not.toContain(appSecret);
    expect(JSON.stringify(await listApplications(stack.db))).not.toMatch(/hash/i);
  });

  it('a resubmitted batch is the same batch, whereas a second application would buy everything twice', async () => {
    const api = await stack.newApi();
    const customer = await api.newCustomer();
    const assetNum = newAssetNum();
    const batch = { ...batchOf(newBuy(customer, [assetNum])), syncMode: 'sync' };
    const answered = await api.accept(batch);

    const rotated = await Api.logIn(stack.baseUrl, await rotate(api.credentials, 0));
    expect(await rotated.accept(batch)).toEqual(answered);
    expect(await rotated.completed(batch)).toMatchObject({ succeeded: 1, orders: [answered[0]] });
    expect(await productsOn(assetNum)).toBe(1);

    const second = await stack.newApi();
    expect(await second.accept(batch)).not.toEqual(answered);
    expect(await productsOn(assetNum)).toBe(2);
  });

  async function productsOn(assetNum: string): Promise<number> {
    const rows = stack.db
      .selectFrom('product_instance')
      .innerJoin('asset', 'asset.id', 'product_instance.asset_id')
      .select('product_instance.id')
      .where('asset_num', '=', assetNum);
    return (await rows.execute()).length;
  }
});

it('an unknown key is not rotated', async () => {
  expect(await rotateSecret(stack.db, 'app_nobody', 24)).toBeUndefined();
});

it('applications are listed with their channels, oldest first', async () => {
  const application = { name: 'Web shop', scopes: ['auth_order' as const], approved: false, channels: ['web', 'tele'] };
  const before = Date.now();
  const { appKey } = await createApplication(stack.db, application);
  const all = await listApplications(stack.db);
  expect(all.at(-1)).toEqual({
    appKey,
    name: 'Web shop',
    scopes: ['auth_order'],
    status: 'pending',
    channels: ['web', 'tele'],
    createdTime: expect.any(Date),
    oldSecretEndTime: null,
  });
  expect(all.at(-1)!.createdTime.getTime()).toBeGreaterThanOrEqual(before);
});

it('the token endpoint answers the old secret like the new one', async () => {
  const first = await newApplication();
  const second = await rotate(first, 24);
  for (const credentials of [first, second]) {
    expect(TokenAnswer.parse((await askToken(credentials)).body)).toMatchObject({ scope: 'auth_order auth_me' });
  }
  expect(
    dataOf(await (await Api.logIn(stack.baseUrl, first)).ask('takeAssetNumbers', { body: { size: 1 } })),
  ).toHaveLength(1);
});
