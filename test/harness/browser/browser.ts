import { join } from 'node:path';
import { en } from '@lockstep/console/words';
import { CONSOLE_ROOT, type OperatorRole } from '@lockstep/contract/console';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { REPOSITORY } from '../processes/processes.ts';
import type { Stack } from '../stack.ts';
import { provideChromium } from './chromium.ts';
import { ConsoleClient, type OperatorLogin } from './console.ts';
import { faultsOf, watchFaults } from './page-faults.ts';

/** How a reader looks at the pages; in light English on a wide screen where nothing is said. */
export interface View {
  language?: 'en-GB' | 'zh-CN';
  colorScheme?: 'light' | 'dark';
  widthPixels?: number;
}

/** The width of a telephone. */
export const NARROW_PIXELS = 390;
const WIDE_PIXELS = 1280;
const HEIGHT_PIXELS = 900;
/** Far from UTC, and not in whole hours: a page that mixes the two up is seen to. */
const ZONE = 'Asia/Kolkata';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** One browser for all files of a process; it ends with the process. */
let running: Promise<Browser> | undefined;

async function startBrowser(): Promise<Browser> {
  return await chromium.launch({ executablePath: await provideChromium(), args: FLAGS });
}

/**
 * A browser of a reader of their own: its cookies and its memory are shared with none. It is closed when the test ends;
 * of one that failed, the pages are kept as pictures, and what went wrong in them is printed.
 */
export async function openBrowser(stack: Pick<Stack, 'baseUrl'>, view: View = {}): Promise<BrowserContext> {
  running ??= startBrowser();
  const browser = await running;
  const context = await browser.newContext({
    baseURL: stack.baseUrl,
    locale: view.language ?? 'en-GB',
    colorScheme: view.colorScheme ?? 'light',
    viewport: { width: view.widthPixels ?? WIDE_PIXELS, height: HEIGHT_PIXELS },
    timezoneId: ZONE,
    // What moves would be caught half way by screenshots and by what measures colors.
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(60_000);
  context.on('page', watchFaults);
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') await tellOf(context, task.name);
    await context.close();
  });
  return context;
}

async function tellOf(context: BrowserContext, testName: string): Promise<void> {
  const name = `failed-${testName.replace(/\W+/g, '-').slice(0, 60)}`;
  for (const [index, page] of context.pages().entries()) {
    await shot(page, `${name}-${index}`);
    process.stdout.write(`At ${page.url()}: ${JSON.stringify(faultsOf(page), null, 2)}\n`);
  }
}

/** A page of a browser of its own. */
export async function openPage(stack: Pick<Stack, 'baseUrl'>, path: string, view: View = {}): Promise<Page> {
  const context = await openBrowser(stack, view);
  const page = await context.newPage();
  await page.goto(path);
  return page;
}

/** An operator with a browser, in which they are logged in. */
export interface AtConsole {
  page: Page;
  /** Calls the console's operations in the same session. */
  client: ConsoleClient;
  login: OperatorLogin;
}

/** A new operator of a role in a browser of their own, logged in, at a page of the console. */
export async function openConsole(
  stack: Pick<Stack, 'baseUrl' | 'db'>,
  role: OperatorRole,
  view: View & { path?: string } = {},
): Promise<AtConsole> {
  const client = await ConsoleClient.logIn(stack, role);
  return { page: await openInSession(client, view), client, login: client.login };
}

/** A page of the console, in a browser that is in the session of a client. */
export async function openInSession(
  client: ConsoleClient,
  { path = CONSOLE_ROOT, ...view }: View & { path?: string } = {},
): Promise<Page> {
  const context = await openBrowser(client, view);
  await bringSession(context, client);
  const page = await context.newPage();
  await page.goto(path);
  return page;
}

/** Fills in the log-in page, on which a page is. */
export async function fillInLogin(page: Page, { name, password }: OperatorLogin): Promise<void> {
  await page.getByRole('textbox', { name: en.session.name }).fill(name);
  await page.getByRole('textbox', { name: en.session.password }).fill(password);
  await page.getByRole('button', { name: en.session.logIn, exact: true }).click();
}

async function bringSession(context: BrowserContext, { baseUrl, cookie }: ConsoleClient): Promise<void> {
  const [name = '', value = ''] = cookie.split('=', 2);
  const { hostname } = new URL(baseUrl);
  await context.addCookies([{ name, value, domain: hostname, path: CONSOLE_ROOT, httpOnly: true, sameSite: 'Strict' }]);
}

/** Keeps a picture of a page as test-artifacts/screenshots/NAME.png; of what its window shows, or of all of it. */
export async function shot(page: Page, name: string, { isWhole = false } = {}): Promise<void> {
  const path = join(REPOSITORY, 'test-artifacts', 'screenshots', `${name}.png`);
  await page.screenshot({ path, animations: 'disabled', fullPage: isWhole });
}
