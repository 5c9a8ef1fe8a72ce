import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, Result } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** The rules of WCAG 2.2, levels A and AA, and axe's own best practices. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

let source: string | undefined;

/**
 * Expects axe to find no violation in the page. axe is injected through the debugging protocol, which the page's
 * Content-Security-Policy does not restrict, so the policy stays in force.
 */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await findObstacles(page)).toEqual([]);
}

/** Returns axe's violations: one line per element, with the rule and the reason. */
async function findObstacles(page: Page): Promise<string[]> {
  source ??= readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const session = await page.context().newCDPSession(page);
  try {
    const options = { runOnly: RULES, resultTypes: ['violations'] };
    const expression = `${source};\naxe.run(${JSON.stringify(options)})`;
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) throw new Error(`axe failed: ${JSON.stringify(exceptionDetails)}`);
    return (result.value as AxeResults).violations.flatMap(linesOf);
  } finally {
    await session.detach();
  }
}

function linesOf({ id, nodes }: Result): string[] {
  return nodes.map(({ target, failureSummary = '', html }) => {
    const why = failureSummary.split('\n').slice(1).join(' ').trim();
    return `${id} at ${target.join(' ')}: ${why} ${html.slice(0, 200)}`;
  });
}
