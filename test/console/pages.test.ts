import { globSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../harness/processes/processes.ts';
import { testStack } from '../harness/stack.ts';

const { stack } = await testStack({ worker: false });

const get = (path: string, init: RequestInit = {}) => fetch(stack.baseUrl + path, init);

/** The addresses of the files that the page names. */
async function namedFiles(): Promise<string[]> {
  const html = await (await get('/console')).text();
  return [...html.matchAll(/(?:src|href)="\.\/(files\/[^"]+)"/g)].map(([, file]) => `/console/${file}`);
}

describe('the page of the console', () => {
  it('is the same at every address, so that an address can be sent to a colleague', async () => {
    for (const path of ['/console', '/console/', '/console/batches?state=completed', '/console/assets/A%2F1']) {
      const answer = await get(path);
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
        path,
        200,
        'text/html; charset=utf-8',
      ]);
      const html = await answer.text();
      expect(html).toContain('<base href="/console/">');
      expect(html).not.toMatch(/__(BASE|NONCE|SESSION)__/);
    }
  });

  it('may load what the service serves, no script of its own, and styles with a nonce that is used once', async () => {
    const [first, second] = await Promise.all([get('/console'), get('/console')]);
    const policy = first.headers.get('content-security-policy')!;
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[\w-]{22}';/);
    expect(policy).not.toContain('unsafe');
    expect(policy).toContain("frame-ancestors 'none'");
    const nonce = /nonce-([\w-]+)/.exec(policy)?.[1];
    const html = await first.text();
    expect(html).toContain(`content="${nonce}"`);
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style|style=| on\w+=/);
    expect(second.headers.get('content-security-policy')).not.toBe(policy);
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(first.headers.get('x-frame-options')).toBe('DENY');
  });

  it('says whether there is a session to ask for', async () => {
    expect(await (await get('/console')).text()).toContain('<meta name="session" content="none">');
    const headers = { cookie: 'lockstep_operator=something' };
    expect(await (await get('/console', { headers })).text()).toContain('<meta name="session" content="maybe">');
  });

  it('answers HEAD as GET, without the page', async () => {
    const answer = await get('/console/batches', { method: 'HEAD' });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  });

  it('is not served for unknown operations, nor for methods other than GET and HEAD', async () => {
    for (const path of ['/console/api', '/console/api/nothing', '/console/api/session/nothing']) {
      const answer = await get(path);
      expect([path, answer.status, ((await answer.json()) as { code: string }).code]).toEqual([path, 404, '404']);
    }
    expect((await get('/console/batches', { method: 'POST' })).status).toBe(404);
    expect((await get('/console', { method: 'POST' })).status).toBe(405);
  });
});

describe('the files of the console', () => {
  it('are served compressed, and cached for good', async () => {
    const files = await namedFiles();
    expect(files.length).toBeGreaterThanOrEqual(3);
    for (const file of files) {
      for (const encoding of ['br', 'gzip', 'identity']) {
        const answer = await get(file, { headers: { 'accept-encoding': encoding } });
        expect([file, answer.status]).toEqual([file, 200]);
        expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
        expect(answer.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding);
        expect(answer.headers.get('vary')?.toLowerCase()).toContain('accept-encoding');
        expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(0);
      }
    }
  });

  it('are small: those that the page names, and all scripts of all pages', async () => {
    const dist = `${REPOSITORY}/apps/console/dist`;
    const sum = (files: string[]) => files.reduce((bytes, file) => bytes + statSync(`${dist}/${file}.br`).size, 0);
    expect(sum((await namedFiles()).map((path) => path.replace('/console/', '')))).toBeLessThan(200_000);
    expect(sum(globSync('files/*.js', { cwd: dist }))).toBeLessThan(310_000);
  });

  it('are sent whole, and only from their folder', async () => {
    const [file = ''] = await namedFiles();
    expect((await get(file, { headers: { range: 'bytes=0-1', 'if-match': '"x"' } })).status).toBe(200);
    for (const path of ['/console/files/nothing.js', '/console/files/', '/console/files/..%2findex.html']) {
      const answer = await get(path);
      expect([path, answer.status, ((await answer.json()) as { code: string }).code]).toEqual([path, 404, '404']);
    }
  });
});
