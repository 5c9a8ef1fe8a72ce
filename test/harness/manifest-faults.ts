import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from './kustomize.ts';
import { REPOSITORY } from './processes.ts';

/** Where the models of a kind are that does not come with Kubernetes itself. */
const PACKAGES: Record<string, string> = {
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
};

const moduleOf = ({ apiVersion, kind }: Manifest) =>
  `${PACKAGES[apiVersion.split('/')[0]!] ?? 'kubernetes-models'}/${apiVersion}/${kind}`;

/**
 * Checks manifests against the schemas of Kubernetes, KEDA and the Prometheus Operator. Returns a line for each manifest
 * that has a fault, with its place in the list.
 *
 * Values are checked by validators, which let unknown keys pass. Types of the same schemas do not let them pass: each
 * manifest is written as a literal of its type, and the compiler says which of its keys, however deep, the type lacks.
 */
export async function findSchemaFaults(manifests: Manifest[]): Promise<string[]> {
  const values = await Promise.all(manifests.map(findValueFault));
  const keys = await findTypeFaults(manifests);
  return manifests.flatMap((_, place) => {
    const fault = keys.get(place) ?? values[place];
    return fault === undefined ? [] : [`${place}: ${fault}`];
  });
}

async function findValueFault(manifest: Manifest): Promise<string | undefined> {
  const models = (await import(moduleOf(manifest))) as Record<string, new (data: Manifest) => { validate(): void }>;
  try {
    new models[manifest.kind]!(manifest).validate();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Returns what the compiler says of each manifest that is not of its type, by its place. */
async function findTypeFaults(manifests: Manifest[]): Promise<Map<number, string>> {
  const cache = join(REPOSITORY, 'node_modules', '.cache', 'lockstep');
  mkdirSync(cache, { recursive: true });
  const directory = mkdtempSync(join(cache, 'manifests-'));
  try {
    manifests.forEach((manifest, place) => {
      const type = `import('${moduleOf(manifest)}').I${manifest.kind}`;
      writeFileSync(
        join(directory, `${place}.ts`),
        `export const manifest: ${type} = ${JSON.stringify(manifest, null, 1)};\n`,
      );
    });
    const compilerOptions = { strict: true, noEmit: true, skipLibCheck: true, module: 'nodenext', types: [] };
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const output = await compile(directory);
    const faults = new Map<number, string>();
    for (const [, place, message] of output.matchAll(/^(\d+)\.ts\(\d+,\d+\): error (.*)$/gm)) {
      if (!faults.has(Number(place))) faults.set(Number(place), message!);
    }
    // What is not about a manifest is a fault of this check.
    if (output !== '' && faults.size === 0) throw new Error(output);
    return faults;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function compile(directory: string): Promise<string> {
  const compiler = join(REPOSITORY, 'node_modules', 'typescript', 'bin', 'tsc');
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [compiler, '--pretty', 'false'], { cwd: directory }, (error, stdout, stderr) => {
      // 1 and 2: there are errors, which standard output names.
      if (error !== null && stdout === '') reject(new Error(stderr, { cause: error }));
      else resolve(stdout);
    });
  });
}
