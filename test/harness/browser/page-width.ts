import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Expects the page to be no wider than its window. Wide content may scroll on its own. */
export async function expectFits(page: Page): Promise<void> {
  const overhang = await page.evaluate<string[]>(`(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const wide = [...document.body.querySelectorAll('*')]
      .filter((element) => element.getBoundingClientRect().right > clientWidth + 1 || element.scrollWidth > clientWidth + 1)
      .map((element) => element.outerHTML.slice(0, 120));
    return ['The page is ' + scrollWidth + ' pixels wide in a window of ' + clientWidth, ...wide];
  })()`);
  expect(overhang.slice(0, 6)).toEqual([]);
}
