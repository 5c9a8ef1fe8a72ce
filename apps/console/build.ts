import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/*
 * Builds the console into dist/. Prints nothing on success.
 *
 *   node build.ts               builds
 *   node build.ts --if-needed   builds if the sources have changed; a no-op without Vite, as in the image, which comes
 *                               with a built console
 */
const HERE = fileURLToPath(new URL('.', import.meta.url));
const STAMP = `${HERE}dist/built-from`;
const isIfNeeded = process.argv.includes('--if-needed');

if (!isIfNeeded || (isInstalled() && !(existsSync(STAMP) && readFileSync(STAMP, 'utf8') === digestSources())))
  await build();

async function build(): Promise<void> {
  const { build: buildWithVite } = await import('vite');
  // Vite replaces files one by one. Without a stamp, a partial build doesn't look complete.
  rmSync(STAMP, { force: true });
  // In a test run NODE_ENV differs, and the libraries would include their development checks.
  process.env.NODE_ENV = 'production';
  await buildWithVite({ configFile: `${HERE}vite.config.ts`, configLoader: 'native', logLevel: 'warn' });
  writeFileSync(STAMP, digestSources());
}

function isInstalled(): boolean {
  try {
    import.meta.resolve('vite');
    return true;
  } catch {
    return false;
  }
}

/** Returns a digest of everything that the build reads. The lock file stands for the libraries. */
function digestSources(): string {
  const files = globSync(
    [
      'src/**/*.*',
      '{index.html,vite.config.ts,build.ts,package.json}',
      '../../packages/contract/src/**/*.ts',
      '../../package-lock.json',
    ],
    { cwd: HERE },
  );
  const digest = createHash('sha256');
  for (const file of files.sort())
    digest
      .update(`${file}\n`)
      .update(readFileSync(HERE + file))
      .update('\n');
  return digest.digest('base64url');
}
