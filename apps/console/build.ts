import { createHash } from 'node:crypto';
import { globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/*
 * Builds the console into dist/: quiet when it works.
 *
 *   node build.ts               builds
 *   node build.ts --if-needed   builds unless dist/ is of these sources; does nothing where Vite is not installed, as
 *                               in the image, which gets a console that is built already
 *   node build.ts --sizes       builds, and prints what a browser loads
 */
const HERE = fileURLToPath(new URL('.', import.meta.url));
const STAMP = `${HERE}dist/built-from`;
const flags = new Set(process.argv.slice(2));

if (!flags.has('--if-needed')) await build();
else if (isInstalled() && readStamp() !== digestSources()) await build();
if (flags.has('--sizes')) printSizes();

async function build(): Promise<void> {
  const { build: buildWithVite } = await import('vite');
  // Vite replaces what is there piece by piece: what is half done must not look whole.
  rmSync(STAMP, { force: true });
  // A test run has another one, with which the libraries would come with their checks for developers.
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

function readStamp(): string | undefined {
  try {
    return readFileSync(STAMP, 'utf8');
  } catch {
    return undefined;
  }
}

/** A digest of everything that the build reads, but for the libraries, which the lock file of the repository names. */
function digestSources(): string {
  const files = globSync(
    [
      '{src,build}/**/*.*',
      '{index.html,vite.config.ts,build.ts,package.json}',
      '../../packages/contract/src/console/*.ts',
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

/** Prints how much a browser loads, compressed: all of it, and what the first page needs. */
function printSizes(): void {
  const sizeOf = (pattern: string) =>
    globSync(pattern, { cwd: `${HERE}dist` }).reduce((sum, file) => sum + statSync(`${HERE}dist/${file}`).size, 0);
  const named = [...readFileSync(`${HERE}dist/index.html`, 'utf8').matchAll(/(?:src|href)="\.\/(files\/[^"]+)"/g)];
  const first = named.reduce((sum, [, file]) => sum + statSync(`${HERE}dist/${file}.br`).size, 0);
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
  process.stdout.write(
    [
      `script, compressed: ${kilobytes(sizeOf('files/*.js.br'))} in ${globSync('files/*.js.br', { cwd: `${HERE}dist` }).length} files`,
      `style, compressed: ${kilobytes(sizeOf('files/*.css.br'))}`,
      `before the first page's own script: ${kilobytes(first)}`,
      '',
    ].join('\n'),
  );
}
