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

/** How a reader views the pages; by default in English, in the light theme, on a wide screen. */
export interface View {
  language?: 'en-GB' | 'zh-CN';
  colorScheme?: 'light' | 'dark';
  widthPixels?: number;
}

/** The width of a phone. */
export const NARROW_PIXELS = 390;
export const WIDE_PIXELS = 1280;
export const HEIGHT_PIXELS = 900;
/** Far from UTC and not a whole number of hours, so that a page that confuses the two is noticed. */
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

/** One browser for all test files of a process; it ends with the process. */
let running: Promise<Browser> | undefined;

async function startBrowser(): Promise<Browser> {
  return await chromium.launch({ executablePath: await provideChromium(), args: FLAGS });
}

/**
 * Opens a browser with its own cookies and storage. It is closed when the test ends. If the test fails, screenshots of
 * its pages are kept, and their errors are printed.
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
    // Screenshots and color checks would catch animations halfway.
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(60_000);
  context.on('page', watchFaults);
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') await reportFailure(context, task.name);
    await context.close();
  });
  return context;
}

async function reportFailure(context: BrowserContext, testName: string): Promise<void> {
  const name = `failed-${testName.replace(/\W+/g, '-').slice(0, 60)}`;
  for (const [index, page] of context.pages().entries()) {
    await shot(page, `${name}-${index}`);
    process.stdout.write(`At ${page.url()}: ${JSON.stringify(faultsOf(page), null, 2)}\n`);
  }
}

/** Opens a page in its own browser. */
export async function openPage(stack: Pick<Stack, 'baseUrl'>, path: string, view: View = {}): Promise<Page> {
  const context = await openBrowser(stack, view);
  const page = await context.newPage();
  await page.goto(path);
  return page;
}

/** An operator who is logged in to the console in a browser. */
export interface AtConsole {
  page: Page;
  /** Calls the console's operations in the same session. */
  client: ConsoleClient;
  login: OperatorLogin;
}

/** Opens a page of the console, by its path there, in a new browser, logged in as a new operator with this role. */
export async function openConsole(
  stack: Pick<Stack, 'baseUrl' | 'db'>,
  role: OperatorRole,
  path?: string,
  view?: View,
): Promise<AtConsole> {
  const client = await ConsoleClient.logIn(stack, role);
  return { page: await openInSession(client, path, view), client, login: client.login };
}

/** Opens a page of the console in a browser that shares a client's session. */
export async function openInSession(client: ConsoleClient, path = '', view?: View): Promise<Page> {
  const context = await openBrowser(client, view);
  await bringSession(context, client);
  const page = await context.newPage();
  await page.goto(CONSOLE_ROOT + path);
  return page;
}

/** Fills in the login page. */
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

/** Saves a screenshot as test-artifacts/screenshots/NAME.png: of the visible part, or of the whole page. */
export async function shot(page: Page, name: string, { isWhole = false } = {}): Promise<void> {
  const path = join(REPOSITORY, 'test-artifacts', 'screenshots', `${name}.png`);
  await page.screenshot({ path, animations: 'disabled', fullPage: isWhole });
}
