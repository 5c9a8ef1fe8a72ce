import type { Plugin } from 'vite';

/** Fills in the page's placeholders, as the service does in the built page (apps/api/src/console/pages.ts). */
export function devPage(): Plugin {
  return {
    name: 'lockstep-dev-page',
    apply: 'serve',
    transformIndexHtml: (html, { server }) =>
      html
        .replace('__BASE__', server?.config.base ?? '/')
        .replace('__NONCE__', '')
        .replace('__SESSION__', 'maybe'),
  };
}
