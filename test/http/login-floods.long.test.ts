import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Credentials } from '@lockstep/access';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { dataOf } from '../harness/api.ts';
import { MemberCenter, newEmployee } from '../harness/members/member-center.ts';
import { askUserToken } from '../harness/oauth.ts';
import { testStack } from '../harness/stack.ts';

/** However many wrong logins one application sends, the passwords of others are checked in turn (rules 2). */

const { stack } = await testStack({ worker: false });
const center = await MemberCenter.open(stack);
await center.buy(1, { licenseType: 'cloud_customer' });
/** The application that sends the floods. */
const attacker = await stack.newApi();

/**
 * A flood, with how many of its passwords have been compared. Each comparison takes a hash, like the calls that wait
 * behind.
 */
interface Flood {
  compared: () => number;
  refused: () => number;
  leave: () => void;
  end: Promise<void>;
}

/** Sends `count` wrong logins at once, of different accounts. Resolves when the first few are answered. */
async function flood(count: number, by: Credentials): Promise<Flood> {
  const statuses: number[] = [];
  const client = new AbortController();
  const headers = {
    authorization: `Basic ${Buffer.from(`${by.appKey}:${by.appSecret}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  };
  const sending = Array.from({ length: count }, async (_, index) => {
    const form = { grant_type: 'password', username: `u${index}@${center.code}`, password: 'wrong password' };
    // Each call has its own connection, which closes when its client is aborted.
    const options = { method: 'POST', headers, agent: false, signal: client.signal };
    const call = request(`${stack.baseUrl}/oauth2/token`, options).end(String(new URLSearchParams(form)));
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    statuses.push(response.statusCode!);
    await once(response.resume(), 'close');
  });
  const countOf = (status: number) => statuses.filter((each) => each === status).length;
  const running = { compared: () => countOf(400), refused: () => countOf(503), leave: () => client.abort() };
  await expect.poll(running.compared).toBeGreaterThan(3);
  return { ...running, end: Promise.allSettled(sending).then(() => {}) };
}

/** Counts the logins of a flood that were compared while `work` ran. */
async function countComparedDuring({ compared }: Flood, work: Promise<unknown>): Promise<number> {
  const before = compared();
  await work;
  return compared() - before;
}

it('a login through another application, M3 and M1 are answered while 180 wrong logins wait', async () => {
  const [employee] = await center.add();
  const wrong = await flood(180, attacker.credentials);
  const { account, password } = center;
  const others = Promise.all([
    countComparedDuring(
      wrong,
      askUserToken(stack.baseUrl, center.api.credentials, { account, password }).then(({ status }) =>
        expect(status).toBe(200),
      ),
    ),
    countComparedDuring(wrong, center.resetPassword(employee!.globalId, 'battery staple').then(dataOf)),
    countComparedDuring(wrong, center.add(...Array.from({ length: 10 }, () => newEmployee()))),
  ]);
  const [login, reset, addition] = await others;
  // One turn of the flood for each of theirs, plus those that run at once or whose answers are on their way. Behind the
  // whole flood, it would be more than 170.
  expect(login).toBeLessThan(100);
  expect(reset).toBeLessThan(100);
  expect(addition).toBeLessThan(150);
  await wrong.end;
});

it('a large M1 of one enterprise does not block other enterprises', async () => {
  const other = await MemberCenter.open(stack);
  const [employee] = await other.add();
  const ends: string[] = [];
  const adding = center.add(...Array.from({ length: 100 }, () => newEmployee())).then(() => ends.push('M1 of 100'));
  for (const call of ['first', 'second', 'third']) {
    dataOf(await other.resetPassword(employee!.globalId, 'battery staple'));
    ends.push(`${call} M3`);
  }
  await other.add(newEmployee(), newEmployee());
  ends.push('M1 of two');
  await adding;
  expect(ends).toEqual(['first M3', 'second M3', 'third M3', 'M1 of two', 'M1 of 100']);
});

it('more than 200 waiting logins through one application are refused as retryable, without a comparison', async () => {
  const wrong = await flood(700, attacker.credentials);
  const { account, password } = center;
  const login = await askUserToken(stack.baseUrl, center.api.credentials, { account, password });
  expect(login.status).toBe(200);
  await wrong.end;
  expect(wrong.refused()).toBeGreaterThan(0);
  expect(wrong.compared() + wrong.refused()).toBe(700);
});

it('a client that disconnects causes no further work', async () => {
  const { credentials } = await stack.newApi();
  const wrong = await flood(150, credentials);
  wrong.leave();
  await wrong.end;
  // It waits behind the rest of the flood, because it comes through the same application.
  const { account, password } = center;
  expect((await askUserToken(stack.baseUrl, credentials, { account, password })).status).toBe(200);
  const { rows: counted } = await sql`
    select from login_failure join application on application.id::text = party
    where app_key = ${credentials.appKey}`.execute(stack.db);
  expect(counted.length).toBeLessThan(100);
});
