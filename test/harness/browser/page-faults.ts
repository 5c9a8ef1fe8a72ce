import type { Page, Request } from 'playwright-core';
import { expect } from 'vitest';

const faults = new WeakMap<Page, string[]>();
const pending = new WeakMap<Page, Set<Request>>();

/** Records errors of a page from now on: those its browser reports, and failed requests. Records open requests, too. */
export function watchFaults(page: Page): void {
  const seen: string[] = [];
  const requests = new Set<Request>();
  faults.set(page, seen);
  pending.set(page, requests);
  page.on('request', (request) => requests.add(request));
  page.on('requestfinished', (request) => requests.delete(request));
  // Violations of the Content-Security-Policy are reported here too.
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) seen.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => seen.push(`error: ${error.stack ?? error.message}`));
  page.on('requestfailed', (request) => {
    requests.delete(request);
    const why = request.failure()?.errorText ?? '';
    // The browser aborts requests when a page is left or a search text changes.
    if (why !== 'net::ERR_ABORTED') seen.push(`${request.method()} ${request.url()}: ${why}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) {
      seen.push(`${response.request().method()} ${response.url()}: ${response.status()}`);
    }
  });
}

/** Returns the errors of a page so far. */
export const faultsOf = (page: Page): readonly string[] => faults.get(page) ?? [];

/** Expects no errors on a page since it was opened or last checked, except those that match `but`. */
export function expectNoFaults(page: Page, { but }: { but?: RegExp } = {}): void {
  const seen = faults.get(page)?.splice(0) ?? ['The page is not watched.'];
  expect(seen.filter((fault) => but === undefined || !but.test(fault))).toEqual([]);
}

/** How long a page must be quiet: an answer may cause the next request. */
const QUIET_CHECKS = 3;

/** Waits until a page neither loads anything nor says that it is busy. */
export async function untilQuiet(page: Page): Promise<void> {
  let quiet = 0;
  const check = async () => {
    const busy = await page.locator('[aria-busy="true"]').count();
    quiet = busy === 0 && pending.get(page)?.size === 0 ? quiet + 1 : 0;
    return quiet;
  };
  await expect.poll(check, { interval: 30 }).toBe(QUIET_CHECKS);
}
