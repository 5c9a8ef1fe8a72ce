import { en, zh } from '@lockstep/console/words';
import type { Page } from 'playwright-core';
import { expectAccessible } from './accessible.ts';
import { HEIGHT_PIXELS, NARROW_PIXELS, shot, WIDE_PIXELS } from './browser.ts';
import { expectNoFaults, untilQuiet } from './page-faults.ts';
import { expectFits } from './page-width.ts';

/** Takes a screenshot of a page, and expects it to fit, to be accessible and to have no errors. */
export async function look(page: Page, name: string): Promise<void> {
  await shot(page, name, { isWhole: true });
  await expectFits(page);
  await expectAccessible(page);
  expectNoFaults(page);
}

type ConsoleWords = typeof en | typeof zh;

/**
 * Looks at a page of the console in the light theme, in a narrow window, and in the dark theme in Chinese. `check` runs
 * in each view with the words of its language.
 */
export async function lookInEveryView(
  page: Page,
  name: string,
  check: (words: ConsoleWords) => Promise<void> = async () => {},
): Promise<void> {
  const see = async (view: string, words: ConsoleWords) => {
    await untilQuiet(page);
    await check(words);
    await look(page, `${name}-${view}`);
  };
  await see('light', en);
  await page.setViewportSize({ width: NARROW_PIXELS, height: HEIGHT_PIXELS });
  await see('narrow', en);
  await page.setViewportSize({ width: WIDE_PIXELS, height: HEIGHT_PIXELS });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.getByRole('button', { name: en.shell.account }).click();
  await page.getByRole('combobox', { name: en.shell.language, exact: true }).selectOption('zh');
  await page.keyboard.press('Escape');
  await see('dark-chinese', zh);
}

/** Waits until a page of the console has its heading and data, and `shows` if given. */
export async function settled(page: Page, shows = ''): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  if (shows !== '') await page.getByText(shows).filter({ visible: true }).first().waitFor();
  await untilQuiet(page);
}

/** Returns the page's title that is exactly `name`, or matches it. */
export const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name, exact: true });

/** Presses the button with exactly this name. */
export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** Presses a button of the topmost dialog. */
export const answer = (page: Page, name: string) =>
  page.getByRole('dialog').last().getByRole('button', { name }).click();

/** Waits until a page shows a text. */
export const said = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

/** Sets a filter of a list, to a choice of its menu or to a text. */
export async function filterBy(page: Page, label: string, value: string): Promise<void> {
  await press(page, label);
  const choice = page.getByRole('menuitem', { name: value, exact: true });
  const text = page.getByRole('textbox', { name: label, exact: true });
  await choice.or(text).waitFor();
  if (await choice.isVisible()) return await choice.click();
  await text.fill(value);
  await page.keyboard.press('Enter');
}
