import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readDockerfile, wordsOf } from '../harness/processes/deployment-files.ts';
import { REPOSITORY } from '../harness/processes/processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'lockstep-image-'));
afterAll(() => rmSync(folder, { recursive: true }));
const readJson = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8'));

it('the image lists all libraries that it has installed, and no others', () => {
  const { image } = readDockerfile();
  for (const source of wordsOf(image, 'COPY').flatMap((words) =>
    words[0]!.startsWith('--') ? [] : words.slice(0, -1),
  )) {
    const filter = (path: string) => !/\/(node_modules|dist)$/.test(path);
    cpSync(join(REPOSITORY, source), join(folder, source), { recursive: true, filter });
  }
  const [command] = wordsOf(image, 'RUN').map((words) => words.join(' ').replace(' && npm cache clean --force', ''));
  const env = { ...process.env, npm_config_prefer_offline: 'true' };
  execFileSync('sh', ['-c', command!], { cwd: folder, env, stdio: 'pipe' });
  const { bomFormat, components } = readJson('sbom.cdx.json') as {
    bomFormat: string;
    components: { 'bom-ref': string }[];
  };
  expect(bomFormat).toBe('CycloneDX');
  const { packages } = readJson('node_modules/.package-lock.json') as {
    packages: Record<string, { version?: string }>;
  };
  const installed = Object.entries(packages).flatMap(([path, { version }]) =>
    version === undefined || !path.includes('node_modules/')
      ? []
      : [`${path.split('node_modules/').at(-1)}@${version}`],
  );
  expect(installed.length).toBeGreaterThan(100);
  expect(new Set(components.map((each) => each['bom-ref']).filter((ref) => !ref.startsWith('@lockstep/')))).toEqual(
    new Set(installed),
  );
}, 300_000);
