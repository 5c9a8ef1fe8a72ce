import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressedFiles } from './build/compress.ts';
import { devPage } from './build/dev-page.ts';
import { operationsTable } from './build/operations.ts';

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
