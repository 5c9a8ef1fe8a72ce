import { GUIDES, guideOf, STARTING } from '@lockstep/api/testing';
import { parameterExamples } from '@lockstep/contract/examples';
import { beforeAll, describe, expect, it } from 'vitest';
import { FOLDER_PAGES, read } from '../harness/browser/pages.ts';
import { startAnotherApi } from '../harness/processes/another-api.ts';
import { testStack } from '../harness/stack.ts';

/** The pages for newcomers: `/`, `/guides` and `/docs`. */
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

const { stack } = await testStack({ worker: false });

const get = (path: string, headers: Record<string, string> = {}, baseUrl = stack.baseUrl) =>
  fetch(baseUrl + path, { headers, redirect: 'manual' });
const pageAt = async (path: string, headers: Record<string, string> = {}) =>
  await (await get(path, { ...BROWSER, ...headers })).text();
/** Returns the addresses that a page links to or loads, without anchors. */
const linksOf = (page: string, path: string) =>
  [...page.matchAll(/(?:href|src)="([^"#]+)/g)]
    .map(([, link]) => new URL(link!.replaceAll('&amp;', '&'), stack.baseUrl + path))
    .filter(({ origin }) => origin === stack.baseUrl);

describe('/', () => {
  it('shows a reader where to go', async () => {
    const answer = await get('/', BROWSER);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const paths = linksOf(await answer.text(), '/').map(({ pathname }) => pathname);
    expect(paths).toEqual(expect.arrayContaining(['/console', '/docs', '/guides', '/health/ready']));
  });

  it('gives a program the same links', async () => {
    const answer = await get('/');
    expect(await answer.json()).toMatchObject({ code: 0, data: { console: '/console', openapi: '/openapi.json' } });
    expect(answer.headers.get('vary')).toBe('accept, accept-language');
  });

  it('accepts no other method', async () => {
    const answer = await fetch(stack.baseUrl, { method: 'POST' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('speaks English and Chinese, by the browser’s language or the reader’s choice', async () => {
    expect(await pageAt('/')).toContain('<html lang="en">');
    expect(await pageAt('/', { 'accept-language': 'zh-CN,zh;q=0.9' })).toContain('<html lang="zh">');
    expect(await pageAt('/?lang=zh')).toContain('<html lang="zh">');
    const switched = await pageAt('/?lang=en', { 'accept-language': 'zh' });
    expect(switched).toContain('<html lang="en">');
    expect(switched).toContain('href="./guides?lang=en"');
    expect(await pageAt('/?lang=%22%3E%3Cscript%3E')).not.toContain('<script');
  });

  it('shows how to begin with a demo, and what is wrong while the service is not ready', async () => {
    const demo = { appKey: 'app_demo', operatorName: 'demo', file: '<b>.lockstep</b>/demo.json' };
    let meanwhile = '';
    const { api, close } = await startAnotherApi(stack, await stack.newApi(), {
      async prepare(baseUrl) {
        meanwhile = await (await get('/', BROWSER, baseUrl)).text();
        return { demo };
      },
    });
    try {
      expect(meanwhile).toContain(STARTING);
      const page = await (await get('/', BROWSER, api.baseUrl)).text();
      expect(page).toContain(
        'DATA_DIR=&#39;&lt;b&gt;.lockstep&lt;/b&gt;&#39; npx lockstep submit examples/first-batch.json',
      );
      expect(page).toContain('&lt;b&gt;.lockstep&lt;/b&gt;/demo.json');
      const document = await (await get('/docs/json', {}, api.baseUrl)).json();
      expect(document).toMatchObject({ 'x-app-key': 'app_demo', 'x-demo-file': demo.file });
    } finally {
      await close();
    }
    expect(await pageAt('/')).not.toContain('first-batch.json');
  });
});

describe('/guides', () => {
  const SHOWN = [...GUIDES, ...FOLDER_PAGES.map((file) => guideOf(file)!)];

  it('lists every guide', async () => {
    const paths = linksOf(await pageAt('/guides'), '/guides').map(({ pathname }) => pathname);
    expect(paths).toEqual(expect.arrayContaining(GUIDES.map(({ slug }) => `/guides/${slug}`)));
  });

  it('shows each, with working links', async () => {
    const links = new Map<string, URL>();
    for (const { slug, file } of SHOWN) {
      const path = `/guides/${slug}`;
      const page = await pageAt(path);
      const [, title] = /^# (.+)$/m.exec(read(file))!;
      expect(page).toContain(`<title>${title} · Lockstep</title>`);
      for (const link of linksOf(page, path)) links.set(link.pathname, link);
    }
    expect(links.size).toBeGreaterThan(GUIDES.length);
    for (const [path, link] of links) {
      if (path.startsWith('/console')) continue;
      const { status } = await fetch(link, { headers: BROWSER });
      expect([path, status]).toEqual([path, 200]);
    }
  });

  it('has the anchors that guides link to', async () => {
    const pages = new Map<string, string>();
    for (const { slug } of SHOWN) pages.set(slug, await pageAt(`/guides/${slug}`));
    const broken = [...pages].flatMap(([slug, page]) =>
      [...page.matchAll(/href="([\w-]*)#([^"]+)"/g)]
        .filter(([, to, anchor]) => !pages.get(to === '' ? slug : to!)?.includes(`id="${anchor}"`))
        .map(([link]) => `${slug}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  it('answers readers and programs that a guide does not exist', async () => {
    const forPerson = await get('/guides/nothing', BROWSER);
    expect([forPerson.status, forPerson.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    const forProgram = await get('/guides/nothing');
    expect([forProgram.status, await forProgram.json()]).toMatchObject([404, { cause: 'operation_not_found' }]);
  });

  it.each([
    '/guides/..%2f..%2fpackage.json',
    '/guides/examples/..%2f..%2fpackage.json',
    '/guides/examples/none.json',
    '/guides/__proto__',
    '/guides/examples/constructor',
    '/front-door/docs.js%00',
    '/front-door/..%2findex.ts',
  ])('shows nothing else: %s', async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  it('accepts a trailing slash', async () => {
    const answer = await get('/guides/', BROWSER);
    expect(new URL(answer.headers.get('location') ?? '', `${stack.baseUrl}/guides/`).pathname).toBe('/guides');
  });
});

describe('the script of /docs', () => {
  interface Call {
    url: string;
    headers: Record<string, string>;
    credentials?: string;
  }
  let prepareCall: (call: Call, findUi: () => unknown) => Call;

  beforeAll(async () => {
    const script = await (await get('/docs/static/swagger-initializer.js')).text();
    const window = { location: { pathname: '/docs' }, addEventListener() {} };
    prepareCall = new Function('window', `${script}; return prepareCall;`)(window);
  });

  /** The library's state after the reader used Authorize. */
  const authorized = (known: Record<string, string>) => () => ({
    authSelectors: { authorized: () => ({ getIn: (path: string[]) => known[path.join('.')] }) },
  });
  const nobody = authorized({});

  it('replaces the example by a new g_nonce', () => {
    const urlOf = (nonce: string) => `/shellnums?g_nonce=${nonce}&size=1`;
    const sent = Array.from(
      { length: 100 },
      () => prepareCall({ url: urlOf(String(parameterExamples.g_nonce)), headers: {} }, nobody).url,
    );
    expect(new Set(sent).size).toBe(100);
    for (const url of sent) expect(url).toMatch(/g_nonce=[A-Za-z0-9_-]{8,64}&size=1$/);
    const own = urlOf('a-nonce-of-my-own');
    expect(prepareCall({ url: own, headers: {} }, nobody).url).toBe(own);
  });

  it('replaces the example by the key from Authorize', () => {
    const url = `/licenseOrder/batchOrder?g_nonce=12345678&appKey=${parameterExamples.appKey}`;
    const ui = authorized({ 'application.clientId': 'app_own&1' });
    expect(prepareCall({ url, headers: {} }, ui).url).toBe(
      '/licenseOrder/batchOrder?g_nonce=12345678&appKey=app_own%261',
    );
    expect(prepareCall({ url, headers: {} }, nobody).url).toBe(url);
  });

  it('sends each of the three tokens of the member center in its place', () => {
    const url = '/me/api/v1/enterprise/1001/members?g_nonce=12345678';
    const headers = () => ({ Authorization: 'Bearer of-user' });
    const ui = authorized({ 'application.token.access_token': 'of-app', 'user.token.access_token': 'of-user' });
    expect(prepareCall({ url, headers: headers() }, ui).headers).toEqual({
      Authorization: 'Bearer of-app',
      clientToken: 'of-app',
      userToken: 'of-user',
    });
    const onlyUser = authorized({ 'user.token.access_token': 'of-user' });
    expect(prepareCall({ url, headers: headers() }, onlyUser).headers).toEqual({ userToken: 'of-user' });
  });

  it('avoids the browser’s own password prompt', () => {
    expect(prepareCall({ url: '/oauth2/token', headers: {} }, nobody).credentials).toBe('omit');
  });
});
