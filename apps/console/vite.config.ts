import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type ConsoleOperationId, consoleOperations, findConsoleOperation } from '@lockstep/contract/console';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/**
 * Builds the console, and serves it during development. Addresses of files are relative, and the service writes its
 * path into the page, so that one build works behind any prefix.
 */
export default defineConfig(({ command }) => ({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: command === 'serve' ? '/console/' : './',
  cacheDir: '../../node_modules/.cache/vite',
  plugins: [react(), operationsTable(), compressedFiles(), devPage()],
  // Everything but the page comes from the service, which accepts changes only from its own host.
  server: {
    proxy: {
      '^/(?!console(?!/api/)|@)': { target: `http://127.0.0.1:${process.env.PORT ?? 8080}`, changeOrigin: false },
    },
  },
  build: {
    outDir: 'dist',
    assetsDir: 'files',
    // The content security policy forbids data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    reportCompressedSize: false,
    // Silences the warning that compressing is slow.
    rolldownOptions: { checks: { bundlerTimings: false } },
    chunkSizeWarningLimit: 1_000,
  },
}));

/** Provides the contract's console operations without their schemas, which would bring zod into the browser. */
function operationsTable(): Plugin {
  const name = 'virtual:operations';
  const ids = Object.keys(consoleOperations) as ConsoleOperationId[];
  const table = ids.map((id) => {
    const { method, path, role, list } = findConsoleOperation(id);
    return [id, { method, path, role, rows: list?.rows[0] }];
  });
  return {
    name: 'lockstep-operations',
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load: (id) =>
      id === `\0${name}` ? `export const operations = ${JSON.stringify(Object.fromEntries(table))};` : undefined,
  };
}

const TEXT = /^files\/.*\.(?:js|css|svg|json)$/;

/**
 * Writes a brotli and a gzip file beside each text file, so that the service need not compress. Browsers accept brotli
 * only over TLS and from localhost.
 */
function compressedFiles(): Plugin {
  return {
    name: 'lockstep-compressed-files',
    // Other plugins change the bundle until it is written.
    async writeBundle({ dir = '' }, bundle) {
      const files = Object.keys(bundle).filter((fileName) => TEXT.test(fileName));
      await Promise.all(files.map((fileName) => compressFile(join(dir, fileName))));
    },
  };
}

async function compressFile(path: string): Promise<void> {
  const bytes = await readFile(path);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(bytes, { params }),
    promisify(gzip)(bytes, { level: 9 }),
  ]);
  await Promise.all([writeFile(`${path}.br`, brotli), writeFile(`${path}.gz`, gzipped)]);
}

/** Fills in the page's placeholders, as the service does in the built page (apps/api/src/console/pages.ts). */
function devPage(): Plugin {
  return {
    name: 'lockstep-dev-page',
    apply: 'serve',
    transformIndexHtml: (html, { server }) =>
      html
        .replace('__BASE__', server?.config.base ?? '/')
        .replace('__NONCE__', '')
        .replace('__SESSION__', 'maybe')
        .replace('__PROVIDER__', '')
        .replace('__PASSWORD__', 'on'),
  };
}
