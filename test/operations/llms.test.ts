import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { read } from '../harness/browser/pages.ts';
import { startAnotherApi } from '../harness/processes/another-api.ts';
import { REPOSITORY } from '../harness/processes/processes.ts';
import { testStack, untilTestsEnd } from '../harness/stack.ts';

const guide = read('llms.txt');
const entries = [...guide.matchAll(/^- \[(.+)\]\((.+?)\): .+$/gm)].map(([, title, link]) => ({ title, link: link! }));
const { stack, api } = await testStack({ worker: false });

it('llms.txt has the form of https://llmstxt.org', () => {
  expect(guide).toMatch(/^# Lockstep\n\n> .+\n\n/);
  const lists = guide
    .slice(guide.indexOf('\n## '))
    .split('\n')
    .filter((line) => line !== '');
  expect(lists.filter((line) => !/^(## |- \[)/.test(line))).toEqual([]);
  expect(lists.filter((line) => line.startsWith('- '))).toHaveLength(entries.length);
});

it('llms.txt names every page by its title', () => {
  const pages = globSync('**/*.md', {
    cwd: REPOSITORY,
    exclude: (path) => /(^|\/)(node_modules|dist|\..*)$/.test(path),
  });
  const titles = pages.map((link) => ({ title: /^# (.+)$/m.exec(read(link))![1], link }));
  const inOrder = (list: { link: string }[]) => list.toSorted((a, b) => (a.link < b.link ? -1 : 1));
  expect(inOrder(entries.filter(({ link }) => link.endsWith('.md')))).toEqual(inOrder(titles));
});

it('llms.txt of the service leads to what it serves, at PUBLIC_URL, and names the pages of the repository', async () => {
  const publicUrl = 'https://example.com/lockstep';
  const other = await untilTestsEnd(startAnotherApi(stack, api, { publicUrl }));
  for (const [baseUrl, prefix] of [
    [stack.baseUrl, ''],
    [other.api.baseUrl, publicUrl],
  ] as const) {
    const answer = await fetch(`${baseUrl}/llms.txt`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    const served = await answer.text();
    const links = [...served.matchAll(/\]\((.+?)\)/g)].map(([, link]) => link!.replace(prefix, ''));
    expect(links).toEqual(['/docs', '/openapi.json', '/.well-known/oauth-authorization-server']);
    for (const link of links) {
      const page = await fetch(baseUrl + link);
      const [, style] = /href="(.+?\.css)"/.exec(await page.text()) ?? [];
      if (style !== undefined) expect(await (await fetch(new URL(style, page.url))).text()).toContain('.swagger-ui');
      expect(page.status).toBe(200);
    }
    expect(entries.filter(({ link }) => link.endsWith('.md') && !served.includes(`\`${link}\``))).toEqual([]);
  }
});
