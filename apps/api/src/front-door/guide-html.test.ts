import { describe, expect, it } from 'vitest';
import { renderGuide } from './guide-html.ts';

const render = (markdown: string, file = 'docs/api.md') => renderGuide(markdown, file, 'Table').body.text.trim();

describe('links of a guide', () => {
  it.each([
    ['deployment.md', 'deployment'],
    ['deployment.md#proxy', 'deployment#proxy'],
    ['runbooks/README.md', 'runbooks'],
    ['runbooks/queue.md#check', 'runbooks-queue#check'],
    ['../README.md', 'readme'],
    ['../CHANGELOG.md#one', 'changelog#one'],
    ['#tokens', '#tokens'],
    ['../examples/first-batch.json', 'examples/first-batch.json'],
    ['https://www.rfc-editor.org/rfc/rfc6749', 'https://www.rfc-editor.org/rfc/rfc6749'],
  ])('to %s lead to %s', (href, address) => {
    expect(render(`[there](${href})`)).toBe(`<p><a href="${address}">there</a></p>`);
  });

  it('of README.md lead to the pages of docs/', () => {
    expect(render('[there](docs/api.md#tokens)', 'README.md')).toContain('href="api#tokens"');
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html;base64,PHNjcmlwdD4=',
    'http://plain.example/',
    '//elsewhere.example/',
    '../package.json',
    '../../../../etc/passwd',
    '../apps/api/src/docs.ts',
    '../test/bench/performance.md',
  ])('to %s are plain text', (href) => {
    expect(render(`[there](<${href}>)`)).toBe('<p>there</p>');
  });
});

describe('a guide', () => {
  it('has the anchors of GitHub and a table of contents', () => {
    const { title, body, contents } = renderGuide(
      '# The API\n\n## O5: order in batches\n\n## `code` & more\n\n### Tokens\n\n## Tokens\n',
      'docs/api.md',
      'Table',
    );
    expect(title).toBe('The API');
    expect(contents).toEqual([
      { id: 'o5-order-in-batches', text: 'O5: order in batches' },
      { id: 'code--more', text: 'code & more' },
      { id: 'tokens-1', text: 'Tokens' },
    ]);
    for (const { id } of contents) expect(body.text).toContain(`<h2 id="${id}">`);
  });

  it('runs no script from the page', () => {
    const hostile = [
      '<script>alert(1)</script>',
      'a <img src=x onerror=alert(1)> b',
      '![<x>](https://elsewhere.example/x.png)',
      '[<b>](" onmouseover="alert(1))',
      '`<script>`',
      '```html\n</code><script>alert(1)</script>\n```',
      '| <script> |\n|---|\n| <img src=x> |',
      '# <script>alert(1)</script>',
    ].join('\n\n');
    const tags = [...render(hostile).matchAll(/<\/?(\w+)([^>]*)>/g)];
    expect(new Set(tags.map(([, name]) => name))).not.toContain('script');
    expect(tags.filter(([, name, rest]) => name === 'img' || /\bon\w+=/.test(rest!))).toEqual([]);
  });

  it('omits the marks of generated parts', () => {
    expect(render('<!-- operation bindCustomer -->\n\nWords.\n\n<!-- end -->')).toBe('<p>Words.</p>');
  });

  it('shows pictures of the documentation', () => {
    expect(render('![The console](docs/images/overview.png)', 'README.md')).toBe(
      '<p><img src="images/overview.png" alt="The console"></p>',
    );
  });
});
