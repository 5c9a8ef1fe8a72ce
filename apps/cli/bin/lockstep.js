import module from 'node:module';
import { fileURLToPath } from 'node:url';

// This file is JavaScript, so that an older Node.js can report the problem, and the cache exists before any TypeScript.
if (process.features.typescript) {
  // Users who cannot change the code cannot write to the cache either: for them, the command starts more slowly.
  module.enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/lockstep/compiled', import.meta.url)));
  await import('../src/lockstep.ts');
} else {
  process.stderr.write(`lockstep: Node.js 24 is required, but this is ${process.version}. Run npm ci to install it.\n`);
  process.exitCode = 1;
}
