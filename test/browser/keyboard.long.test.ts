import { en } from '@lockstep/console/words';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible } from '../harness/browser/accessible.ts';
import { openConsole, shot } from '../harness/browser/browser.ts';
import { answer, press as click, heading } from '../harness/browser/look.ts';
import { expectNoFaults } from '../harness/browser/page-faults.ts';
import { testStack } from '../harness/stack.ts';

/** The console without a mouse. */

const { stack } = await testStack({ worker: false });

/** The focused element, and whether it is in a dialog. */
const focused = (page: Page) =>
  page.evaluate<{ text: string; tag: string; isInDialog: boolean }>(`(() => {
    const { activeElement: element } = document;
    return {
      text: element.textContent.trim(),
      tag: element.tagName.toLowerCase(),
      isInDialog: element.closest('[role="dialog"]') !== null,
    };
  })()`);
const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};

it('begins with a link that skips to the page', async () => {
  const { page } = await openConsole(stack, 'viewer', '/applications');
  await heading(page, en.shell.applications).waitFor();
  await page.reload();
  await heading(page, en.shell.applications).waitFor();
  await page.evaluate('document.activeElement.blur()');
  await press(page, 'Tab');
  expect(await focused(page)).toMatchObject({ tag: 'a', text: en.shell.skip });
  await shot(page, 'skip-link');
  await press(page, 'Enter');
  expect(await focused(page)).toMatchObject({ tag: 'main' });
  expectNoFaults(page);
});

it('goes to an area by two keys, and focuses its heading', async () => {
  const { page } = await openConsole(stack, 'viewer');
  await heading(page, en.shell.overview).waitFor();
  await press(page, 'g', 'p');
  await heading(page, en.shell.applications).waitFor();
  await expect.poll(() => focused(page)).toMatchObject({ tag: 'h1', text: en.shell.applications });
  await expect.poll(() => page.title()).toBe(`${en.shell.applications} · ${en.shell.product}`);
  await press(page, 'g', 'u');
  // Viewers can't see this area.
  await heading(page, en.shell.applications).waitFor();
  await press(page, '/');
  await expect.poll(() => focused(page)).toMatchObject({ tag: 'input' });
  // Typing in a field triggers no shortcut.
  await press(page, 'g', 'b');
  await heading(page, en.shell.applications).waitFor();
});

it('has a palette, whose place stays when the answer arrives, and which restores the focus', async () => {
  const { credentials } = await stack.newApi();
  const { page } = await openConsole(stack, 'viewer');
  await heading(page, en.shell.overview).waitFor();
  await page.getByRole('link', { name: en.shell.batches, exact: true }).focus();
  await press(page, 'Control+k');
  const field = page.getByRole('combobox', { name: en.shell.search });
  await field.waitFor();
  const options = page.getByRole('listbox', { name: en.shell.searchButton }).getByRole('option');
  const chosen = options.and(page.getByRole('option', { selected: true }));
  await press(page, 'ArrowDown');
  expect(await chosen.textContent()).toBe(await options.nth(1).textContent());
  await expectAccessible(page);
  await shot(page, 'palette');
  expect(await options.filter({ hasText: en.applications.newTitle }).count()).toBe(0);
  await press(page, 'Escape');
  await field.waitFor({ state: 'detached' });
  expect(await focused(page)).toMatchObject({ tag: 'a', text: en.shell.batches });

  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/search?*', async (route) => {
    await held;
    await route.continue();
  });
  await press(page, 'Control+k');
  await field.fill('te');
  await press(page, 'ArrowDown');
  const kept = await chosen.textContent();
  release();
  await page.getByRole('group', { name: en.shell.applications }).waitFor();
  expect(await chosen.textContent()).toBe(kept);
  await field.fill(credentials.appKey.slice(4));
  await options.filter({ hasText: credentials.appKey }).waitFor();
  await expectAccessible(page);
  await shot(page, 'palette-found');
  await press(page, 'Enter');
  await page.getByRole('heading', { level: 1, name: 'Test' }).waitFor();
  expectNoFaults(page);
});

it('keeps the focus in a dialog, and Escape restores it', async () => {
  const { page } = await openConsole(stack, 'viewer');
  await heading(page, en.shell.overview).waitFor();
  await page.getByRole('link', { name: en.shell.batches, exact: true }).focus();
  await press(page, '?');
  await page.getByRole('dialog').waitFor();
  await expectAccessible(page);
  await shot(page, 'shortcuts');
  for (let step = 0; step < 12; step++) {
    const { tag, isInDialog } = await focused(page);
    // After the last control the focus leaves the page for the browser's own controls; then body is active.
    expect(isInDialog || tag === 'body', tag).toBe(true);
    await press(page, 'Tab');
  }
  await press(page, 'Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await focused(page)).toMatchObject({ tag: 'a', text: en.shell.batches });
});

it('keeps a secret that is shown once until the reader confirms it', async () => {
  const { credentials } = await stack.newApi();
  const { page } = await openConsole(stack, 'admin', `/applications/${credentials.appKey}`);
  await click(page, en.applications.rotate);
  await answer(page, en.applications.rotate);
  const secret = page.getByRole('dialog', { name: en.applications.rotateDone });
  await secret.waitFor();
  // A browser closes a dialog on the second Escape, even if the page refused the first.
  await press(page, 'Escape', 'Escape', 'Escape');
  expect(await secret.isVisible()).toBe(true);
  await secret.getByRole('button', { name: en.kit.saved }).click();
  await secret.waitFor({ state: 'detached' });
  expectNoFaults(page);
});
