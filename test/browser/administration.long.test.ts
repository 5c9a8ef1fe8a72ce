import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { en } from '@lockstep/console/words';
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { Api, dataOf } from '../harness/api.ts';
import { expectAccessible } from '../harness/browser/accessible.ts';
import { openConsole, shot } from '../harness/browser/browser.ts';
import { ConsoleClient } from '../harness/browser/console.ts';
import { answer, heading, lookInEveryView, press, said } from '../harness/browser/look.ts';
import { expectNoFaults } from '../harness/browser/page-faults.ts';
import { startReceiver } from '../harness/network/receiver.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { testStack, untilTestsEnd } from '../harness/stack.ts';

/** What admins and support do with applications, webhooks and operators, in a real browser. */
const MARKUP = '<img src=x onerror=alert(1)> & "Co"';

const { stack } = await testStack({ webhookAllowPrivate: true });
const admin = await ConsoleClient.logIn(stack, 'admin');
const newApplication = async (name: string, channels: string[] | null = null) =>
  await admin.call('createApplication', { body: { name, scopes: ['auth_order'], channels, isApproved: true } });
const api = await Api.logIn(stack.baseUrl, await newApplication(MARKUP));
let isWell = false;
const receiver = await untilTestsEnd(startReceiver((response) => response.writeHead(isWell ? 204 : 503).end()));

async function newWebhook(): Promise<string> {
  const body = { url: receiver.url, description: MARKUP };
  return dataOf(await api.call('POST', '/webhooks', { body })).webhookId;
}
/** Completes one batch, which causes one event. */
async function endBatch(): Promise<void> {
  const customer = await api.newCustomer();
  await api.accept({ ...batchOf(newBuy(customer, [newAssetNum()])), channelCode: 'test', syncMode: 'sync' });
}
const open = (path: string) => openConsole(stack, 'admin', path);
/** Returns a value that a dialog shows once, by its label. */
const secretOf = (page: Page, label: string) =>
  page.getByRole('dialog').last().locator('dl > div').filter({ hasText: label }).locator('dd').innerText();

it('the page of a failing webhook is accessible in every view', async () => {
  const { page } = await open(`/webhooks/${await newWebhook()}`);
  await endBatch();
  await receiver.awaitCount(1);
  await page.reload();
  await lookInEveryView(page, 'webhook-failing', (words) => said(page, words.webhooks.failingTitle));
});

describe('an admin', () => {
  it('registers an application, whose secret is shown once and works', async () => {
    const { page } = await open('/applications');
    const name = `Shop ${randomUUID()}`;
    await page.getByRole('link', { name: en.applications.newTitle }).click();
    await page.getByRole('textbox', { name: en.applications.name, exact: true }).fill(name);
    await page.getByLabel(en.applications.channels).selectOption(en.applications.bindSome);
    const channels = page.getByRole('textbox', { name: en.applications.bindSome });
    await channels.fill(' \n ');
    await press(page, en.applications.create);
    await said(page, en.applications.channelsMissing);
    await channels.fill('web\n tele \n');
    await press(page, en.applications.create);
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await shot(page, 'application-secret');
    await expectAccessible(page);
    const credentials = {
      appKey: await secretOf(page, en.applications.appKey),
      appSecret: await secretOf(page, en.applications.appSecret),
    };
    expect((await Api.logIn(stack.baseUrl, credentials)).token).toBeTypeOf('string');
    await answer(page, en.kit.saved);
    await heading(page, name).waitFor();
    await said(page, 'web, tele');
    expect(await page.content()).not.toContain(credentials.appSecret);
    await page.reload();
    await heading(page, name).waitFor();
    expect(await page.content()).not.toContain(credentials.appSecret);
    expectNoFaults(page);
  });

  it('rotates a secret, suspends and approves', async () => {
    const { appKey: key } = await newApplication('Rotated');
    const { page } = await open(`/applications/${key}`);
    await press(page, en.applications.rotate);
    const hours = page.getByLabel(en.applications.overlapHours);
    await hours.fill('721');
    expect(await page.getByRole('dialog').getByRole('button', { name: en.applications.rotate }).isDisabled()).toBe(
      true,
    );
    await hours.fill('2');
    await said(page, en.applications.stillWorks('2', '4'));
    await answer(page, en.applications.rotate);
    await said(page, en.applications.oldGoodUntil);
    await said(page, en.applications.tokensGoodUntil);
    const appSecret = await secretOf(page, en.applications.appSecret);
    await Api.logIn(stack.baseUrl, { appKey: key, appSecret });
    await answer(page, en.kit.saved);
    await press(page, en.applications.rotate);
    await hours.fill('0');
    await said(page, en.applications.nothingWorks);
    await shot(page, 'application-leaked-secret');
    await expectAccessible(page);
    await answer(page, en.applications.rotate);
    await said(page, en.applications.oldEnded);
    const { token } = await Api.logIn(stack.baseUrl, {
      appKey: key,
      appSecret: await secretOf(page, en.applications.appSecret),
    });
    expect(token).toBeTypeOf('string');
    await answer(page, en.kit.saved);
    await page.reload();
    await page.getByText(`1 (${en.applications.liveTokensHint})`).waitFor();
    await press(page, en.applications.revokeTokens);
    await answer(page, en.applications.revokeTokens);
    await page.getByText(`0 (${en.applications.liveTokensHint})`).waitFor();
    await press(page, en.applications.suspend);
    await answer(page, en.applications.suspend);
    await page.getByText(en.states.suspended, { exact: true }).waitFor();
    await press(page, en.applications.approve);
    await answer(page, en.applications.approve);
    await page.getByText(en.states.approved, { exact: true }).waitFor();
    expectNoFaults(page);
  });

  it('changes channels, unless another admin has changed them meanwhile', async () => {
    const { appKey: key } = await newApplication('Bound', ['web']);
    const { page } = await open(`/applications/${key}/channels`);
    const channels = page.getByRole('textbox', { name: en.applications.bindSome });
    await channels.fill('tele');
    const body = { channels: ['partner'], shownChannels: ['web'] };
    await admin.call('bindApplication', { params: { appKey: key }, body });
    await press(page, en.kit.save);
    await said(page, 'changed_meanwhile');
    await press(page, en.kit.tryAgain);
    await expect.poll(() => channels.inputValue()).toBe('partner');
    await channels.fill('partner\ntele');
    await press(page, en.kit.save);
    await said(page, 'partner, tele');
    expectNoFaults(page, { but: /409/ });
  });

  it('creates an operator, who logs in, gets a role and a new password, and is disabled', async () => {
    const { page } = await open('/operators');
    const name = `op-${randomUUID().slice(0, 8)}`;
    await press(page, en.operators.newTitle);
    await page.getByRole('dialog').getByLabel(en.operators.name).fill(name);
    await page.getByRole('combobox', { name: en.operators.role }).selectOption('support');
    await answer(page, en.operators.create);
    const password = await secretOf(page, en.operators.password);
    const operator = new ConsoleClient(stack.baseUrl, { name, password });
    expect(await operator.call('logIn', { body: operator.login })).toMatchObject({ role: 'support' });
    await answer(page, en.kit.saved);
    await page.goto(`/console/operators/${name}`);
    await heading(page, name).waitFor();
    await press(page, en.operators.changeRole);
    await page.getByRole('combobox', { name: en.operators.role }).selectOption('viewer');
    await answer(page, en.kit.save);
    await said(page, en.operators.changeRoleDone(name));
    await page.getByRole('definition').filter({ hasText: en.operators.viewerSays }).waitFor();
    expect(await operator.call('getMe')).toMatchObject({ role: 'viewer' });
    await press(page, en.operators.changeChannels);
    await page.getByRole('combobox', { name: en.operators.channels }).selectOption('some');
    await page.getByRole('dialog').getByRole('textbox').fill('test');
    await answer(page, en.operators.save);
    await said(page, en.operators.changeChannelsDone(name));
    expect(await operator.call('getMe')).toMatchObject({ channels: ['test'] });
    await press(page, en.operators.resetPassword);
    await answer(page, en.operators.resetPassword);
    await said(page, en.operators.resetPasswordDone(name));
    await answer(page, en.kit.saved);
    expect((await operator.send('getMe')).status).toBe(401);
    await press(page, en.operators.disable);
    await answer(page, en.operators.disable);
    await page.getByText(en.states.disabled, { exact: true }).waitFor();
    await page.getByRole('link', { name: en.operators.changesTo }).click();
    await page.getByTitle('operator.disabled', { exact: true }).waitFor();
    await said(page, 'support → viewer');
    await shot(page, 'audit-log-of-operator');
    expectNoFaults(page);
  });
});

it('the audit log says who logged out, who failed to log in, and which system user ran the command', async () => {
  const { page } = await open('/operators');
  const operator = await ConsoleClient.logIn(stack, 'viewer');
  const { name } = operator.login;
  await operator.call('logOut');
  await operator.send('logIn', { body: { name, password: 'wrong' } });
  await page.goto(`/console/audit-log?target=${name}`);
  const row = (action: string) => page.getByRole('row').filter({ has: page.getByTitle(action, { exact: true }) });
  await row('operator.log_in_failed')
    .filter({ hasText: en.auditLog.notLoggedIn('127.0.0.1') })
    .waitFor();
  await row('operator.logged_out').filter({ hasText: name }).first().waitFor();
  await row('operator.created')
    .filter({ hasText: en.auditLog.commandOf(`${userInfo().username}@${hostname()}`) })
    .waitFor();
  await shot(page, 'audit-log-of-log-ins');
  await expectAccessible(page);
  expectNoFaults(page);
});

describe('support', () => {
  const openAsSupport = (path: string) => openConsole(stack, 'support', `${path}`);

  it('enables a webhook with the events that it missed, and sends a test', async () => {
    isWell = true;
    const webhookId = await newWebhook();
    await sql`
      update webhook set disabled_time = now(), disabled_cause = 'attempts_exhausted'
      where id = ${webhookId}`.execute(stack.db);
    const { page } = await openAsSupport('/webhooks?state=disabled');
    await page.locator(`a[href$="/webhooks/${webhookId}"]`).click();
    await press(page, en.webhooks.enable);
    await shot(page, 'webhook-enable');
    await expectAccessible(page);
    await answer(page, en.webhooks.enable);
    await page.getByText(en.states.active, { exact: true }).waitFor();
    await press(page, en.webhooks.test);
    await answer(page, en.webhooks.test);
    await page.getByText('webhook.test', { exact: true }).waitFor();
    await said(page, en.states.delivered);
    await press(page, en.webhooks.replay);
    await page.getByRole('dialog').getByLabel(en.webhooks.replayWhich).selectOption(en.webhooks.replayAfter);
    await page.getByLabel(en.webhooks.afterEvent).fill('0');
    await answer(page, en.webhooks.replay);
    await page.getByText('batch.completed', { exact: true }).first().waitFor();
    await shot(page, 'webhook-replayed');
    expectNoFaults(page);
  });

  it('sees neither the actions of admins on an application nor the operators', async () => {
    const { page } = await openAsSupport(`/applications/${api.credentials.appKey}`);
    await heading(page, MARKUP).waitFor();
    expect(await page.getByRole('main').getByRole('button').filter({ hasText: /./ }).count()).toBe(0);
    await page.goto('/console/operators');
    await said(page, 'role_missing');
  });
});
