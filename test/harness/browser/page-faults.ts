import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const faults = new WeakMap<Page, string[]>();

/** Records errors of a page from now on: those its browser reports, and failed requests. */
export function watchFaults(page: Page): void {
  const seen: string[] = [];
  faults.set(page, seen);
  // Violations of the Content-Security-Policy are reported here too.
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) seen.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => seen.push(`error: ${error.stack ?? error.message}`));
  page.on('requestfailed', (request) => {
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
