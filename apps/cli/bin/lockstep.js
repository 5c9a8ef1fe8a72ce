import module from 'node:module';
import { fileURLToPath } from 'node:url';

// This file is JavaScript, so that an older Node.js can say what is wrong, and the cache is there before any TypeScript.
if (process.features.typescript) {
  // Only who can change the code can write there. Where this user cannot, the command starts more slowly.
  module.enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/lockstep/compiled', import.meta.url)));
  await import('../src/lockstep.ts');
} else {
  process.stderr.write(`lockstep needs Node.js 24, and this is ${process.version}. npm ci brings it.\n`);
  process.exitCode = 1;
}
