import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const faults = new WeakMap<Page, string[]>();

/** Keeps what goes wrong in a page from now on: what its browser reports, and requests that fail. */
export function watchFaults(page: Page): void {
  const seen: string[] = [];
  faults.set(page, seen);
  // What the Content-Security-Policy refuses is reported here too.
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) seen.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => seen.push(`error: ${error.stack ?? error.message}`));
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? '';
    // A page that is left, or a search that is typed on, gives up what it has asked for.
    if (why !== 'net::ERR_ABORTED') seen.push(`${request.method()} ${request.url()}: ${why}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) {
      seen.push(`${response.request().method()} ${response.url()}: ${response.status()}`);
    }
  });
}

/** What has gone wrong in a page so far. */
export const faultsOf = (page: Page): readonly string[] => faults.get(page) ?? [];

/** Nothing has gone wrong in a page since it was opened, or since this was asked last, but what a test expects. */
export function expectNoFaults(page: Page, { but }: { but?: RegExp } = {}): void {
  const seen = faults.get(page)?.splice(0) ?? ['The page is not watched.'];
  expect(seen.filter((fault) => but === undefined || !but.test(fault))).toEqual([]);
}
