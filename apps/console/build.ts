import { createHash } from 'node:crypto';
import { globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/*
 * Builds the console into dist/. Prints nothing on success.
 *
 *   node build.ts               builds
 *   node build.ts --if-needed   builds if the sources have changed; a no-op without Vite, as in the image, which comes
 *                               with a built console
 *   node build.ts --sizes       builds, and prints the sizes that a browser loads
 */
const HERE = fileURLToPath(new URL('.', import.meta.url));
const STAMP = `${HERE}dist/built-from`;
const flags = new Set(process.argv.slice(2));

if (!flags.has('--if-needed')) await build();
else if (isInstalled() && readStamp() !== digestSources()) await build();
if (flags.has('--sizes')) printSizes();

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

function readStamp(): string | undefined {
  try {
    return readFileSync(STAMP, 'utf8');
  } catch {
    return undefined;
  }
}

/** Returns a digest of everything that the build reads. The lock file stands for the libraries. */
function digestSources(): string {
  const files = globSync(
    [
      'src/**/*.*',
      '{index.html,vite.config.ts,build.ts,package.json}',
      '../../packages/contract/src/{causes,console/*}.ts',
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

/** Prints the compressed sizes that a browser loads: in total, and for the first page. */
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
