import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressedFiles } from './build/compress.ts';
import { devPage } from './build/dev-page.ts';
import { operationsTable } from './build/operations.ts';

/**
 * How the console is built, and how Vite serves it while it is developed. Addresses of built files are relative, and
 * the server writes into the page where it is: so one build is right behind any prefix.
 */
export default defineConfig(({ command }) => ({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: command === 'serve' ? '/console/' : './',
  cacheDir: '../../node_modules/.cache/vite',
  plugins: [react(), operationsTable(), compressedFiles(), devPage()],
  // All but the page comes from the service, which takes changes only from its own host.
  server: {
    proxy: {
      '^/(?!console(?!/api/)|@)': { target: `http://127.0.0.1:${process.env.PORT ?? 8080}`, changeOrigin: false },
    },
  },
  build: {
    outDir: 'dist',
    assetsDir: 'files',
    // A data: address would need a hole in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    reportCompressedSize: false,
    // A build that works says nothing; compressing takes as long as it takes.
    rolldownOptions: { checks: { bundlerTimings: false } },
    chunkSizeWarningLimit: 1_000,
  },
}));
