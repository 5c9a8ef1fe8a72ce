import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeContract } from './declarations.ts';

/*
 * Builds the package that is published, in dist/: `npm run client`, then `npm publish packages/client/dist`.
 */
const HERE = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(HERE, 'dist');
const SOURCES = join(HERE, '../../node_modules/.cache/lockstep/client');

rmSync(DIST, { recursive: true, force: true });
rmSync(SOURCES, { recursive: true, force: true });
mkdirSync(SOURCES, { recursive: true });
for (const file of ['../contract/src/routes.ts', ...globSync('src/*.ts', { cwd: HERE, exclude: ['**/*.test.ts'] })]) {
  copyFileSync(join(HERE, file), join(SOURCES, basename(file)));
}
writeFileSync(join(SOURCES, 'contract.ts'), writeContract());
writeFileSync(
  join(SOURCES, 'tsconfig.json'),
  JSON.stringify({
    compilerOptions: {
      ...{ target: 'es2022', lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'], types: [] },
      ...{ module: 'nodenext', rewriteRelativeImportExtensions: true, verbatimModuleSyntax: true },
      ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true },
      ...{ declaration: true, rootDir: '.', outDir: DIST },
    },
    include: ['*.ts'],
  }),
);
writeFileSync(join(SOURCES, 'package.json'), '{"type": "module"}');
execFileSync('npx', ['tsc', '-p', SOURCES], { stdio: ['ignore', 2, 2] });

const { name, version, description, license } = JSON.parse(readFileSync(join(HERE, 'package.json'), 'utf8'));
const entry = (file: string) => ({ types: `./${file}.d.ts`, default: `./${file}.js` });
const published = {
  ...{ name, version, description, license, type: 'module', sideEffects: false, engines: { node: '>=20.3' } },
  exports: { '.': entry('index'), './webhooks': entry('webhooks') },
};
writeFileSync(join(DIST, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
copyFileSync(join(HERE, 'README.md'), join(DIST, 'README.md'));
