import type { Page } from 'playwright-core';
import { expectAccessible } from './accessible.ts';
import { shot } from './browser.ts';
import { expectNoFaults } from './page-faults.ts';
import { expectFits } from './page-width.ts';

/** Takes a screenshot of a page, and expects it to fit, to be accessible and to have no errors. */
export async function look(page: Page, name: string): Promise<void> {
  await shot(page, name, { isWhole: true });
  await expectFits(page);
  await expectAccessible(page);
  expectNoFaults(page);
}
