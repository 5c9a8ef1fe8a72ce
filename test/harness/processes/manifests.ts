import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { REPOSITORY } from './processes.ts';

/** A manifest of Kubernetes, KEDA or the Prometheus Operator. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: what a manifest holds depends on its kind, and its schema checks it.
  spec: any;
}

/** Parses a file of manifests. Throws an Error for a key that is written twice. */
export function readManifests(file: string): Manifest[] {
  return parseAllDocuments(readFileSync(file, 'utf8')).map((document) => {
    if (document.errors[0] !== undefined) throw new Error(`${file}: ${document.errors[0].message}`);
    return document.toJS() as Manifest;
  });
}

/** The packages with the models of kinds that don't come with Kubernetes itself. */
const PACKAGES: Record<string, string> = {
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
};
const moduleOf = ({ apiVersion, kind }: Manifest) =>
  `${PACKAGES[apiVersion.split('/')[0]!] ?? 'kubernetes-models'}/${apiVersion}/${kind}`;

/** Throws an Error if a value of a manifest does not match the schema of its kind. Unknown keys pass. */
export async function checkValues(manifest: Manifest): Promise<void> {
  const models = (await import(moduleOf(manifest))) as Record<string, new (data: Manifest) => { validate(): void }>;
  new models[manifest.kind]!(manifest).validate();
}

/**
 * Returns what the compiler says when each manifest is written as a literal of its type: which keys, at any depth, the
 * type doesn't know.
 */
export async function findUnknownKeys(manifests: Manifest[]): Promise<string> {
  const cache = join(REPOSITORY, 'node_modules', '.cache', 'lockstep');
  mkdirSync(cache, { recursive: true });
  const directory = mkdtempSync(join(cache, 'manifests-'));
  try {
    const literals = manifests.map(
      (each, place) =>
        `export const m${place}: import('${moduleOf(each)}').I${each.kind} = ${JSON.stringify(each, null, 1)};\n`,
    );
    const compilerOptions = { strict: true, noEmit: true, skipLibCheck: true, module: 'nodenext', types: [] };
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    writeFileSync(join(directory, 'manifests.ts'), literals.join(''));
    const compiler = join(REPOSITORY, 'node_modules', 'typescript', 'bin', 'tsc');
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, '--pretty', 'false'], {
      cwd: directory,
    }).catch((error: { stdout: string }) => error);
    return stdout;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
