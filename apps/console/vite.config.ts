import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressedFiles } from './build/compress.ts';
import { operationsTable } from './build/operations.ts';

/**
 * How the console is built. Addresses of files are relative, and the server writes into the page where it is: so one
 * build is right behind any prefix.
 */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  plugins: [react(), operationsTable(), compressedFiles()],
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
});
