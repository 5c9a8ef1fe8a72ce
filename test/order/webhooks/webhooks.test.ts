import { CONNREFUSED, NODATA, NOTFOUND, REFUSED, Resolver, SERVFAIL, TIMEOUT } from 'node:dns/promises';
import { buildMessage, MAX_OLD_SECRETS, MAX_WEBHOOKS, Webhook, WebhookWithSecret } from '@lockstep/contract';
import { ListCursor } from '@lockstep/platform';
import { sql } from 'kysely';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { dataOf, pathIn, refusalOf } from '../../harness/api.ts';
import { applicationIdOf } from '../../harness/databases/tables.ts';
import { startAnotherApi } from '../../harness/processes/another-api.ts';
import { testStack, untilTestsEnd } from '../../harness/stack.ts';

/** Registering and reading webhooks (rules 6.8). Messages may go to public addresses only. No worker runs. */
const strictWebhook = z.strictObject(Webhook.shape);
const strictWithSecret = z.strictObject(WebhookWithSecret.shape);
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;
const URL = 'https://hooks.shop.example/lockstep?key=k1';

const { stack, api } = await testStack({ worker: false });

const create = (body: unknown, by = api) => by.call('POST', '/webhooks', { body });
const created = async (by = api) => strictWithSecret.parse(dataOf(await create({ url: URL }, by)));
const one = (method: string, webhookId: string, operation = '', options = {}, by = api) =>
  by.call(method, `/webhooks/${webhookId}${operation}`, options);
const list = async (by = api) => z.array(strictWebhook).parse(dataOf(await by.call('GET', '/webhooks')).webhooks);

describe('a webhook', () => {
  const countSecrets = async (webhookId: string) => {
    const select = sql`select count(secret)::int + (
      select count(*)::int from webhook_old_secret where webhook_id = ${webhookId}
    ) as secrets from webhook where id = ${webhookId} group by id`;
    return (await select.execute(stack.db)).rows;
  };

  it('is registered, and its secret is shown only once', async () => {
    const { secret, ...webhook } = strictWithSecret.parse(
      dataOf(await create({ url: ` ${URL} `, description: 'Night shift' })),
    );
    expect(secret).toMatch(SECRET);
    expect(webhook).toEqual({
      webhookId: expect.stringMatching(/^\d+$/),
      url: URL,
      description: 'Night shift',
      state: 'active',
      types: null,
      channelCodes: null,
      pausedTime: null,
      createdTime: expect.any(Number),
      disabledTime: null,
      disabledCause: null,
    });
    const reads = [await api.call('GET', '/webhooks'), await one('GET', webhook.webhookId)];
    expect(reads[0]!.body.data.webhooks).toContainEqual(webhook);
    expect(strictWebhook.parse(dataOf(reads[1]!))).toEqual(webhook);
    for (const { body } of reads) expect(JSON.stringify(body)).not.toContain('whsec_');
    expect(stack.logLines.join('')).not.toContain(secret.slice('whsec_'.length));
    expect(stack.logLines.join('')).not.toContain('hooks.shop.example');
  });

  it('is registered twice when it is sent twice, with two secrets', async () => {
    const [first, second] = [await created(), await created()];
    expect(second.webhookId).not.toBe(first.webhookId);
    expect(second.secret).not.toBe(first.secret);
    expect(first.description).toBeNull();
  });

  it('gets a new secret with each rotation, and no other answer shows one', async () => {
    const webhook = await created();
    const rotate = async () => strictWithSecret.parse(dataOf(await one('POST', webhook.webhookId, '/rotateSecret')));
    const secrets = [webhook.secret];
    for (let count = 0; count < MAX_OLD_SECRETS; count++) secrets.push((await rotate()).secret);
    expect(new Set(secrets).size).toBe(MAX_OLD_SECRETS + 1);
    const refused = refusalOf(await one('POST', webhook.webhookId, '/rotateSecret'));
    expect(refused.cause).toBe('secrets_exhausted');
    for (const [operation, options] of [['/test'], ['/enable'], ['/replay', { body: {} }]] as const) {
      const answer = await one('POST', webhook.webhookId, operation, options);
      expect(dataOf(answer)).toBeDefined();
      expect(JSON.stringify(answer.body)).not.toContain('whsec_');
    }
    expect(await countSecrets(webhook.webhookId)).toEqual([{ secrets: MAX_OLD_SECRETS + 1 }]);
    await sql`update webhook_old_secret set end_time = now() where webhook_id = ${webhook.webhookId}`.execute(stack.db);
    await rotate();
  });

  it('is gone when it is deleted, with its secrets', async () => {
    const { webhookId } = await created();
    await one('POST', webhookId, '/rotateSecret');
    const byOther = await one('DELETE', webhookId, '', {}, await stack.newApi());
    expect(refusalOf(byOther).cause).toBe('webhook_not_found');
    expect((await one('DELETE', webhookId)).body).toEqual({ code: 0, message: 'success' });
    const message = buildMessage('webhook_not_found', webhookId);
    expect(refusalOf(await one('GET', webhookId))).toEqual({ code: '13004', cause: 'webhook_not_found', message });
    expect((await list()).map((webhook) => webhook.webhookId)).not.toContain(webhookId);
    expect(await countSecrets(webhookId)).toEqual([{ secrets: 0 }]);
  });

  it('that is active does not change when it is enabled', async () => {
    const { secret: _, ...webhook } = await created();
    expect(dataOf(await one('POST', webhook.webhookId, '/enable'))).toEqual(webhook);
  });
});

describe('an update', () => {
  const update = (webhookId: string, body: object, by = api) => one('PUT', webhookId, '', { body }, by);

  it('changes what is sent, clears what is null, and leaves the rest', async () => {
    const { secret: _, ...before } = strictWithSecret.parse(
      dataOf(await create({ url: URL, description: 'Night shift', types: ['batch.completed', 'batch.completed'] })),
    );
    expect(before).toMatchObject({ types: ['batch.completed'], channelCodes: null });
    expect(dataOf(await update(before.webhookId, {}))).toEqual(before);
    const changed = { description: 'Day shift', channelCodes: ['east'], types: [] };
    const after = { ...before, ...changed, types: null };
    expect(dataOf(await update(before.webhookId, changed))).toEqual(after);
    const cleared = await update(before.webhookId, { url: `${URL}&v=2`, description: null, channelCodes: null });
    expect(dataOf(cleared)).toEqual({ ...after, url: `${URL}&v=2`, description: null, channelCodes: null });
  });

  it.each<[body: object, cause: string, path: string]>([
    [{ url: 'http://hooks.shop.example/' }, 'field_invalid', 'url'],
    [{ types: ['batch.ended'] }, 'field_invalid', 'types[0]'],
    [{ types: 'batch.completed' }, 'field_invalid', 'types'],
    [{ channelCodes: [''] }, 'field_missing', 'channelCodes[0]'],
    [{ channelCodes: Array.from({ length: 101 }, String) }, 'field_invalid', 'channelCodes'],
  ])('to %j is refused, as at creation', async (body, cause, path) => {
    const { webhookId } = await created();
    const refusals = [await update(webhookId, body), await create({ url: URL, ...body })].map(refusalOf);
    for (const { cause: found, message } of refusals) expect([found, pathIn(message)]).toEqual([cause, path]);
  });

  it('by a bound application names only its channels; by another application it finds nothing', async () => {
    const bound = await stack.newApi(['auth_order'], ['east']);
    const { webhookId } = dataOf(await create({ url: URL, channelCodes: ['east'] }, bound));
    for (const answer of [
      await update(webhookId, { channelCodes: ['east', 'west'] }, bound),
      await create({ url: URL, channelCodes: ['west'] }, bound),
    ]) {
      expect(refusalOf(answer)).toMatchObject({ cause: 'channel_not_allowed' });
    }
    expect(refusalOf(await update(webhookId, { description: 'x' }))).toMatchObject({ cause: 'webhook_not_found' });
    expect(refusalOf(await update(webhookId, { url: 'https://10.0.0.1/' }, bound))).toMatchObject({
      cause: 'webhook_address_forbidden',
    });
  });
});

describe('the webhooks of an application', () => {
  it(`are ${MAX_WEBHOOKS} at most, also if they are registered concurrently, and listed oldest first`, async () => {
    const by = await stack.newApi();
    const answers = await Promise.all(Array.from({ length: MAX_WEBHOOKS + 5 }, () => create({ url: URL }, by)));
    const refused = answers.filter(({ status }) => status === 299).map(refusalOf);
    expect(refused).toHaveLength(5);
    for (const refusal of refused) {
      const message = buildMessage('webhooks_exhausted', MAX_WEBHOOKS);
      expect(refusal).toEqual({ code: '13004', cause: 'webhooks_exhausted', message });
    }
    const webhookIds = (await list(by)).map(({ webhookId }) => webhookId);
    expect(webhookIds).toHaveLength(MAX_WEBHOOKS);
    expect(webhookIds).toEqual(webhookIds.toSorted((left, right) => Number(left) - Number(right)));
    await one('DELETE', webhookIds[0]!, '', {}, by);
    await created(by);
  });
});

describe('a URL is refused', () => {
  const refusalFor = async (url: unknown, description?: unknown) => refusalOf(await create({ url, description }));

  it.each([
    5,
    ...['/hook', 'https://', 'https:\\\\hooks.shop.example', 'https://hooks.shop.example/a b'],
    ...['https://hooks.shop.example:70000/', 'http://hooks.shop.example/x', 'javascript:alert(1)'],
    ...['https://user@hooks.shop.example/', 'https://user:geheim@hooks.shop.example/'],
    'https://hooks.shop.example/#geheim',
    `https://hooks.shop.example/${'x'.repeat(2_048)}`,
    'https://hooks.shop.example/\u0007',
  ])('%j', async (url) => {
    const refusal = await refusalFor(url);
    expect(refusal).toMatchObject({ code: '13004', cause: 'field_invalid' });
    expect(pathIn(refusal.message)).toBe('url');
    expect(refusal.message).not.toContain('geheim');
  });

  it('to try it out, and the setting is named', async () => {
    for (const url of ['http://127.0.0.1:9000/', 'https://127.0.0.1:9000/']) {
      expect((await refusalFor(url)).message).toContain('WEBHOOK_ALLOW_PRIVATE');
    }
  });

  it.each([undefined, null, '', '  '])('that is missing: %j', async (url) => {
    expect(await refusalFor(url)).toMatchObject({ cause: 'field_missing', faults: [{ path: 'url' }] });
  });

  it('with a description that is too long', async () => {
    expect(await refusalFor(URL, 'x'.repeat(256))).toMatchObject({ faults: [{ path: 'description' }] });
  });

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['１２７.0.0.1', '127.0.0.1'],
    ['192.168.1.1:8443', '192.168.1.1'],
    ['169.254.169.254', '169.254.169.254'],
    ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
    ['LOCALHOST.', 'localhost.'],
  ])('to %s, which is not a public address', async (host, named) => {
    expect(await refusalFor(`https://${host}/?key=geheim`)).toMatchObject({
      code: '13004',
      cause: 'webhook_address_forbidden',
      message: buildMessage('webhook_address_forbidden', named),
    });
  });

  const dnsFault = (code: string) => Object.assign(new Error(code), { code });

  it.each<[what: string, answer: string[] | Error]>([
    ['that does not exist', dnsFault(NOTFOUND)],
    ['without an address', dnsFault(NODATA)],
    ['of a private address', ['10.0.0.1']],
    ['of a public and a private address', ['8.8.8.8', '10.0.0.1']],
  ])('to a name %s, in the same words', async (_, answer) => {
    answerByDns(answer);
    expect(await refusalFor('https://hooks.shop.test/?key=geheim')).toMatchObject({
      cause: 'webhook_address_forbidden',
      message: buildMessage('webhook_address_forbidden', 'hooks.shop.test'),
    });
  });

  it.each([TIMEOUT, SERVFAIL, REFUSED, CONNREFUSED])('unless DNS gives no answer: %s', async (code) => {
    answerByDns(dnsFault(code));
    const own = await stack.newApi();
    expect(dataOf(await create({ url: 'https://hooks.shop.test/' }, own))).toMatchObject({ state: 'active' });
  });

  function answerByDns(answer: string[] | Error): void {
    const fault = answer instanceof Error ? answer : dnsFault(NODATA);
    vi.spyOn(Resolver.prototype, 'resolve6').mockRejectedValue(fault);
    const asked = vi.spyOn(Resolver.prototype, 'resolve4');
    if (answer instanceof Error) asked.mockRejectedValue(answer);
    // The types have four overloads, of which one is used.
    else asked.mockResolvedValue(answer as never);
  }
  afterEach(() => vi.restoreAllMocks());

  it('except if the operator allows any address', async () => {
    const closedNetwork = await untilTestsEnd(
      startAnotherApi(stack, await stack.newApi(), { WEBHOOK_ALLOW_PRIVATE: true }),
    );
    for (const url of ['http://10.0.0.1:8080/hook', 'https://localhost/hook', 'http://[::1]/hook']) {
      expect(dataOf(await create({ url }, closedNetwork.api))).toMatchObject({ url });
    }
    const refusal = refusalOf(await create({ url: 'ftp://10.0.0.1/' }, closedNetwork.api));
    expect([refusal.cause, pathIn(refusal.message)]).toEqual(['field_invalid', 'url']);
  });
});

it('a replay is a range of its own, which another one extends', async () => {
  const by = await stack.newApi();
  const { webhookId } = await created(by);
  await sql`update webhook set after_position = 100 where id = ${webhookId}`.execute(stack.db);
  const replay = async (body: object) => {
    dataOf(await one('POST', webhookId, '/replay', { body }, by));
    const { rows } = await sql<{ after: string; until: string; place: string }>`
      select replay_after as after, replay_until as until, after_position as place from webhook
      where id = ${webhookId}`.execute(stack.db);
    expect(rows[0]!.place).toBe('100');
    return rows[0]!.after && [rows[0]!.after, rows[0]!.until];
  };
  await sql`update event_counter set last_position = greatest(last_position, 200)`.execute(stack.db);
  expect(await replay({ after: '101' })).toBeNull();
  expect(await replay({ after: '099' })).toEqual(['99', '100']);
  await sql`update webhook set replay_after = 20, replay_until = 30 where id = ${webhookId}`.execute(stack.db);
  expect(await replay({ after: '25' })).toEqual(['20', '100']);
  expect(await replay({})).toEqual(['0', '100']);
  const reversed = refusalOf(await one('POST', webhookId, '/replay', { body: { from: 2e12, to: 1e12 } }, by));
  expect(reversed).toMatchObject({ cause: 'dates_reversed', faults: [{ path: 'from' }] });
  const both = refusalOf(await one('POST', webhookId, '/replay', { body: { after: '1', to: 2e12 } }, by));
  expect(both).toMatchObject({ cause: 'field_invalid', faults: [{ path: 'to' }] });
  for (const wrong of ['x', '1.5', '-1', '12345678901234567890']) {
    const refusal = refusalOf(await one('POST', webhookId, '/replay', { body: { after: wrong } }, by));
    expect(refusal).toMatchObject({ cause: 'field_invalid', faults: [{ path: 'after' }] });
  }
  const beyond = await one('POST', webhookId, '/replay', { body: { after: '9999999999999999999' } }, by);
  expect(refusalOf(beyond)).toMatchObject({ code: '13004', cause: 'event_unknown' });
});

it('tests of one webhook are limited in number', async () => {
  const { webhookId } = await created(api);
  const answers = await Promise.all(Array.from({ length: 25 }, () => one('POST', webhookId, '/test')));
  const refused = answers.filter(({ status }) => status === 299).map(refusalOf);
  expect(refused).toHaveLength(5);
  for (const refusal of refused) expect(refusal).toMatchObject({ code: '500', cause: 'overloaded' });
});

describe('the list of deliveries', () => {
  let webhookId: string;
  const listDeliveries = (query: Record<string, string>, of = webhookId, by = api) =>
    one('GET', of, '/deliveries', { query }, by);
  const page = async (query: Record<string, string>) => {
    const { deliveries, nextCursor } = dataOf(await listDeliveries(query));
    return { ids: deliveries.map(({ deliveryId }: { deliveryId: string }) => Number(deliveryId)), nextCursor };
  };

  beforeAll(async () => {
    ({ webhookId } = await created());
    await sql`
      insert into webhook_delivery (webhook_id, type) select ${webhookId}, 'webhook.test'
      from generate_series(1, 5)`.execute(stack.db);
  });

  it('is paged newest first, even while newer ones arrive', async () => {
    const all = (await page({})).ids;
    expect(all).toHaveLength(5);
    expect(all).toEqual(all.toSorted((left: number, right: number) => right - left));
    const first = await page({ limit: '2' });
    await sql`insert into webhook_delivery (webhook_id, type) values (${webhookId}, 'webhook.test')`.execute(stack.db);
    const second = await page({ limit: '2', cursor: first.nextCursor });
    const third = await page({ limit: '2', cursor: second.nextCursor });
    expect([...first.ids, ...second.ids, ...third.ids]).toEqual(all);
    expect(third.nextCursor).toBeNull();
  });

  it('refuses a cursor of another webhook or application, and a forged one', async () => {
    const { nextCursor } = await page({ limit: '2' });
    const another = await created();
    const other = await stack.newApi();
    const theirs = await created(other);
    const applicationId = await applicationIdOf(stack.db, api.credentials);
    const madeUp = new ListCursor(['listDeliveries', applicationId, another.webhookId], undefined).write(['one'])!;
    const refused = [
      await listDeliveries({ cursor: madeUp }, another.webhookId),
      await listDeliveries({ cursor: nextCursor }, another.webhookId),
      await listDeliveries({ cursor: nextCursor }, theirs.webhookId, other),
    ];
    for (const answer of refused) {
      const { cause, message } = refusalOf(answer);
      expect([cause, pathIn(message)]).toEqual(['field_invalid', 'cursor']);
    }
  });

  it('has 1 to 200 entries a page', async () => {
    for (const limit of ['0', '201', 'x', '-1', '1.5']) {
      expect(refusalOf(await listDeliveries({ limit })).cause).toBe('field_invalid');
    }
    for (const limit of ['', '200']) expect((await page({ limit })).ids.length).toBeGreaterThanOrEqual(5);
  });
});
