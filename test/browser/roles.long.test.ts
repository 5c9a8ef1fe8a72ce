import { en } from '@lockstep/console/words';
import { includesRole, type OperatorRole } from '@lockstep/contract/console';
import { afterAll, describe, expect, it } from 'vitest';
import { openConsole } from '../harness/browser/browser.ts';
import { openShop } from '../harness/browser/console-shop.ts';
import { expectNoFaults } from '../harness/browser/page-faults.ts';
import { testStack } from '../harness/stack.ts';
import { CONSOLE_PAGES, settled } from './console-pages.ts';

/** Each role sees exactly its own pages. Other tests cover what the service refuses. */

const { stack } = await testStack({ webhookAllowPrivate: true });
const shop = await openShop(stack);
afterAll(() => shop.close());

const AREAS: Record<OperatorRole, string[]> = {
  viewer: [
    en.shell.overview,
    en.shell.batches,
    en.shell.orders,
    en.shell.assets,
    en.shell.enterprises,
    en.shell.preview,
    en.shell.applications,
    en.shell.channels,
    en.shell.webhooks,
    en.shell.queue,
  ],
  get support() {
    return [...this.viewer, en.shell.auditLog];
  },
  get admin() {
    return [...this.viewer, en.shell.operators, en.shell.auditLog];
  },
};

describe.each(['viewer', 'support', 'admin'] as const)('a %s', (role) => {
  it('can read every page of the role, and no page calls an operation beyond it', async () => {
    const { page } = await openConsole(stack, role);
    for (const { path, least, shows } of CONSOLE_PAGES.filter((each) => includesRole(role, each.least))) {
      await page.goto(`/console${path(shop)}`);
      await settled(page, least === 'viewer' ? shows(shop) : '');
      expectNoFaults(page);
    }
  });

  it('sees the areas of the role in the navigation', async () => {
    const { page } = await openConsole(stack, role);
    await settled(page);
    const links = page.getByRole('navigation', { name: en.shell.navigation }).getByRole('link');
    expect(await links.allInnerTexts()).toEqual(AREAS[role]);
  });
});

it.each([
  ['viewer', '/operators'],
  ['support', '/operators'],
  ['viewer', '/audit-log'],
  ['support', '/applications/new'],
] as const)('a %s who opens %s by its address is told who may', async (role, path) => {
  const { page } = await openConsole(stack, role, { path: `/console${path}` });
  const alert = page.getByRole('alert');
  await alert.getByText(en.kit.forbidden).waitFor();
  expect(await alert.innerText()).toContain(role);
  expectNoFaults(page, { but: /\b403\b/ });
});
