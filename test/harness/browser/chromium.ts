import { execFileSync, spawnSync } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';

/** The names under which systems install the browser. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
/** Its path on systems that do not put it on PATH. */
const PLACES = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];

/** Debian packages with the libraries of the npm package's binary, and fonts for both languages. */
const NEEDED = ['libnss3', 'libexpat1', 'fontconfig-config', 'fonts-liberation', 'fonts-wqy-microhei'];

/**
 * Returns the path of a Chromium: from CHROME_PATH, from the npm package, which is the same everywhere, or installed.
 * On Debian as root, installs missing libraries and fonts. Throws an Error that says what to do if there is none.
 */
export async function provideChromium(): Promise<string> {
  installMissing();
  const found = process.env.CHROME_PATH ?? (await unpack()) ?? findInstalled();
  if (found !== undefined) return found;
  throw new Error(
    'The tests need a Chromium: set CHROME_PATH, or install one (Debian: apt-get install chromium; macOS: brew install ' +
      'google-chrome), or what the one of the npm package @sparticuz/chromium needs (Debian: apt-get install ' +
      `${NEEDED.join(' ')}).`,
  );
}

/**
 * Unpacks the npm package's binary into this checkout's cache, once; undefined if it does not run. The package itself
 * unpacks into the temporary folder, and keeps an older version there.
 */
async function unpack(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const root = join(dirname(entry), '..');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const directory = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'lockstep-chromium');
  const binary = join(directory, `chromium-${version}`);
  if (!existsSync(binary)) await decompress(join(root, 'bin', 'chromium.br'), binary);
  return spawnSync(binary, ['--version']).status === 0 ? binary : undefined;
}

async function decompress(packed: string, binary: string): Promise<void> {
  await mkdir(dirname(binary), { recursive: true });
  // Several processes may do this at once. Each writes its own file, so the binary appears complete or not at all.
  const part = `${binary}.${process.pid}`;
  const read = createReadStream(packed, { highWaterMark: 2 ** 22 });
  await pipeline(read, createBrotliDecompress({ chunkSize: 2 ** 21 }), createWriteStream(part, { mode: 0o755 }));
  await rename(part, binary);
}

function findInstalled(): string | undefined {
  const directories = (process.env.PATH ?? '').split(delimiter);
  const onPath = directories.flatMap((directory) => NAMES.map((name) => join(directory, name)));
  return [...onPath, ...PLACES].find((file) => existsSync(file));
}

function installMissing(): void {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return;
  const missing = NEEDED.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  process.stdout.write(`Installing for the tests in the browser (apt-get install ${missing.join(' ')})\n`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // Another test process may be doing the same.
  const apt = ['/tmp/lockstep-apt.lock', 'apt-get', '-y', '-qq', '--no-install-recommends'];
  execFileSync('flock', [...apt, 'update'], { env, stdio: 'ignore' });
  execFileSync('flock', [...apt, 'install', ...missing], { env, stdio: 'ignore' });
}

function isInstalled(name: string): boolean {
  const { stdout } = spawnSync('dpkg', ['-s', name], { encoding: 'utf8' });
  return stdout.includes('\nStatus: install ok installed\n');
}
