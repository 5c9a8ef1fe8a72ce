import type { Plugin } from 'vite';

/** Fills in the page, as the service does with the built one (apps/api/src/console/pages.ts). */
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
