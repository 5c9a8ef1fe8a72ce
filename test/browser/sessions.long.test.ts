import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { en, zh } from '@lockstep/console/words';
import { createLogInToken, newCommand } from '@lockstep/operators';
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../harness/browser/accessible.ts';
import { fillInLogin, openBrowser, openConsole, openPage, shot } from '../harness/browser/browser.ts';
import { newOperator, type OperatorLogin } from '../harness/browser/console.ts';
import { heading, press } from '../harness/browser/look.ts';
import { expectNoFaults } from '../harness/browser/page-faults.ts';
import { startLoginProvider } from '../harness/network/login-provider.ts';
import { startAnotherApi } from '../harness/processes/another-api.ts';
import { testStack, untilTestsEnd } from '../harness/stack.ts';

/** Logging in and out, and sessions that end, as an operator sees it (rules 9). */

const { stack, api } = await testStack({ worker: false });

/** A call without a session gets 401, which browsers log as an error. */
const REFUSED = /\b401\b/;

/** A page without automatic updates: it stays after its session has ended, until a click. */
const STILL_PAGE = { path: '/applications', title: en.shell.applications };

const endSessions = ({ name }: OperatorLogin) =>
  sql`update operator_session set expires_time = now()
    where operator_id = (select id from operator where name = ${name})`.execute(stack.db);

describe('logging in', () => {
  it('leads to the page that was requested', async () => {
    const login = await newOperator(stack, 'viewer');
    const page = await openPage(stack, '/console/applications?status=approved');
    await heading(page, en.session.product).waitFor();
    await shot(page, 'log-in');
    await expectAccessible(page);
    await fillInLogin(page, login);
    await heading(page, en.shell.applications).waitFor();
    expect(new URL(page.url()).search).toBe('?status=approved');
    await page.getByText(login.name).waitFor();
    expectNoFaults(page, { but: REFUSED });
  });

  it('with a wrong password says so, keeps the name, and then accepts the correct one', async () => {
    const login = await newOperator(stack, 'viewer');
    const page = await openPage(stack, '/console');
    await fillInLogin(page, { ...login, password: 'wrong' });
    await page.getByRole('alert').getByText(en.session.logInFailed).waitFor();
    await shot(page, 'log-in-refused');
    await expectAccessible(page);
    expect(await page.getByRole('textbox', { name: en.session.name }).inputValue()).toBe(login.name);
    await fillInLogin(page, login);
    await heading(page, en.shell.overview).waitFor();
  });

  it('never leads outside the console', async () => {
    const login = await newOperator(stack, 'viewer');
    for (const next of ['https://example.com/', '//example.com/', '/docs', 'javascript:alert(1)']) {
      const page = await openPage(stack, `/console/log-in?next=${encodeURIComponent(next)}`);
      await fillInLogin(page, login);
      await heading(page, en.shell.overview).waitFor();
      expect(page.url()).toBe(`${stack.baseUrl}/console/`);
    }
  });
});

describe('logging in by the provider', () => {
  it('leads through its pages to the page that was requested, or says why not', async () => {
    const reserved = createServer().listen(0, '127.0.0.1');
    await once(reserved, 'listening');
    const { port: PORT } = reserved.address() as AddressInfo;
    reserved.close();
    const baseUrl = `http://127.0.0.1:${PORT}`;
    const provider = await untilTestsEnd(startLoginProvider(baseUrl));
    const options = { PORT, publicUrl: baseUrl, oidc: provider.config, PASSWORD_LOGIN: 'off' } as const;
    await untilTestsEnd(startAnotherApi(stack, api, options));
    provider.people.set('p1', { preferred_username: 'Jane.Doe@example.com', groups: ['admins'] });
    const goTo = en.session.logInByProvider(new URL(provider.config.issuer).host);
    const logInThere = async (page: Page, id: string) => {
      await page.locator('input[name=login]').fill(id);
      await page.locator('input[name=password]').fill('any');
      await page.locator('button[type=submit]').click();
    };

    const page = await openPage({ baseUrl }, '/console/applications?status=approved');
    await heading(page, en.session.product).waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    await shot(page, 'log-in-provider');
    await expectAccessible(page);
    await press(page, goTo);
    await logInThere(page, 'p1');
    await heading(page, en.shell.applications).waitFor();
    expect(page.url()).toBe(`${baseUrl}/console/applications?status=approved`);
    await page.getByRole('button', { name: en.shell.account }).click();
    await page.getByText('jane.doe · admin').waitFor();
    expect(await page.getByRole('link', { name: en.shell.ownPassword }).count()).toBe(0);
    // The provider's page wants a font from the internet.
    expectNoFaults(page, { but: /\b401\b|googleapis|ERR_NAME_NOT_RESOLVED/ });

    await page.goto('/console/operators/jane.doe');
    await page.getByText(en.operators.byProvider).waitFor();
    expect(await page.getByRole('button', { name: en.operators.resetPassword }).count()).toBe(0);

    const other = await openPage({ baseUrl }, '/console', { language: 'zh-CN' });
    await other.getByRole('button', { name: provider.config.issuer.slice(7) }).click();
    await logInThere(other, 'p2');
    await other.getByRole('alert').getByText(zh.session.logInFailed).waitFor();
    await shot(other, 'log-in-provider-refused');
    await expectAccessible(other);
    expect(new URL(other.url()).search).toBe('');
  });
});

describe('a login link', () => {
  const newLink = async (login: OperatorLogin) =>
    `/console/log-in#token=${await createLogInToken(stack.db, login.name, newCommand())}`;
  const link = (page: Page) => page.getByRole('button', { name: en.session.logIn, exact: true });

  it('leads to the overview, leaves no token behind, and works once', async () => {
    const login = await newOperator(stack, 'viewer');
    const address = await newLink(login);
    const page = await openPage(stack, address);
    await heading(page, 'Overview').waitFor();
    expect(page.url()).toBe(`${stack.baseUrl}/console/`);
    await page.getByText(login.name).waitFor();
    await page.goBack();
    expect(page.url()).not.toContain('token');
    expectNoFaults(page);
  });

  it.each(['en-GB', 'zh-CN'] as const)('that was used says so, and takes the password (%s)', async (language) => {
    const login = await newOperator(stack, 'viewer');
    const address = await newLink(login);
    await heading(await openPage(stack, address), 'Overview').waitFor();
    const page = await openPage(stack, address, { language });
    await page.getByRole('alert').waitFor();
    expect(page.url()).not.toContain('token');
    await shot(page, `log-in-link-used-${language}`);
    await expectAccessible(page);
    await page.locator('input[name=name]').fill(login.name);
    await page.locator('input[name=password]').fill(login.password);
    await page.locator('button[type=submit]').click();
    await page.waitForURL('**/console/');
  });

  it('opened in a tab of the console with a session asks first', async () => {
    const { page } = await openConsole(stack, 'viewer', STILL_PAGE.path);
    await heading(page, STILL_PAGE.title).waitFor();
    const other = await newOperator(stack, 'support');
    await page.goto(await newLink(other));
    await link(page).waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    await shot(page, 'log-in-link');
    await expectAccessible(page);
    await link(page).click();
    await page.getByText(other.name).waitFor();
  });

  it('to which another site led asks first', async () => {
    const login = await newOperator(stack, 'viewer');
    const page = await (await openBrowser(stack)).newPage();
    const address = stack.baseUrl + (await newLink(login));
    await page.route('https://elsewhere.example/', (route) =>
      route.fulfill({ contentType: 'text/html', body: `<a href="${address}">there</a>` }),
    );
    await page.goto('https://elsewhere.example/');
    await page.getByRole('link').click();
    await link(page).waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    await link(page).click();
    await heading(page, 'Overview').waitFor();
  });

  it('pasted into the login page, after one that was used, works', async () => {
    const login = await newOperator(stack, 'viewer');
    const page = await openPage(stack, '/console/log-in#token=unknown');
    await page.getByRole('alert').waitFor();
    const address = await newLink(login);
    await page.evaluate(`location.hash = '${address.slice(address.indexOf('#'))}'`);
    await heading(page, 'Overview').waitFor();
  });
});

describe('logging out', () => {
  it('ends the session in all tabs of the browser; going back shows nothing', async () => {
    const { page, login } = await openConsole(stack, 'viewer', '/applications');
    await heading(page, en.shell.applications).waitFor();
    const other = await page.context().newPage();
    await other.goto('/console/webhooks');
    await heading(other, en.shell.webhooks).waitFor();
    await page.getByRole('button', { name: en.shell.account }).click();
    await press(page, en.shell.logOut);
    await heading(page, en.session.product).waitFor();
    await heading(other, en.session.product).waitFor();
    await page.goBack();
    await heading(page, en.session.product).waitFor();
    expect(await page.getByText(login.name).count()).toBe(0);
    // A login in one tab brings the other tab back to its page.
    await fillInLogin(page, login);
    await heading(other, en.shell.webhooks).waitFor();
    for (const each of [page, other]) expectNoFaults(each, { but: REFUSED });
  });

  it('does not affect another browser', async () => {
    const here = await openConsole(stack, 'viewer');
    const there = await openPage(stack, '/console');
    await fillInLogin(there, here.login);
    await heading(there, en.shell.overview).waitFor();
    await here.page.getByRole('button', { name: en.shell.account }).click();
    await press(here.page, en.shell.logOut);
    await heading(here.page, en.session.product).waitFor();
    await there.reload();
    await heading(there, en.shell.overview).waitFor();
  });
});

describe('a session', () => {
  it('that has ended leads to the login and back', async () => {
    const { page, login } = await openConsole(stack, 'viewer', STILL_PAGE.path);
    await heading(page, STILL_PAGE.title).waitFor();
    await endSessions(login);
    await page.getByRole('link', { name: en.shell.webhooks }).click();
    await heading(page, en.session.product).waitFor();
    await fillInLogin(page, login);
    await heading(page, en.shell.webhooks).waitFor();
    expectNoFaults(page, { but: REFUSED });
  });

  it('ends with a new password in every other browser', async () => {
    const { page: here, login } = await openConsole(stack, 'viewer', '/password');
    const there = await openPage(stack, `/console${STILL_PAGE.path}`);
    await fillInLogin(there, login);
    await heading(there, STILL_PAGE.title).waitFor();
    await here.getByLabel(en.session.present).fill(login.password);
    await here.getByLabel(en.session.next, { exact: true }).fill('a new password of twelve');
    await here.getByLabel(en.session.nextAgain).fill('a new password of twelve');
    await shot(here, 'own-password');
    await expectAccessible(here);
    await press(here, en.session.change);
    await here.getByRole('status').getByText(en.session.changed).waitFor();
    await here.getByRole('link', { name: en.shell.applications }).click();
    await heading(here, en.shell.applications).waitFor();
    expectNoFaults(here);
    await there.getByRole('link', { name: en.shell.webhooks }).click();
    await heading(there, en.session.product).waitFor();
  });

  it('of another operator shows nothing of the previous one', async () => {
    const context = await openBrowser(stack);
    const [admin, viewer] = [await newOperator(stack, 'admin'), await newOperator(stack, 'viewer')];
    const page = await context.newPage();
    await page.goto('/console/operators');
    await fillInLogin(page, admin);
    await heading(page, en.shell.operators).waitFor();
    await page.getByRole('button', { name: en.shell.account }).click();
    await press(page, en.shell.logOut);
    await fillInLogin(page, viewer);
    await heading(page, en.shell.overview).waitFor();
    expect(await page.getByRole('link', { name: en.shell.operators }).count()).toBe(0);
    expect(await page.getByText(admin.name).count()).toBe(0);
  });
});
