import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

/** A manifest as kubectl would get it. What it holds is checked by its schema; see manifest-faults.ts. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: what a manifest holds depends on its kind, and its schema checks it.
  [field: string]: any;
}

interface Kustomization {
  apiVersion: string;
  kind: string;
  namespace?: string;
  resources?: string[];
  components?: string[];
  images?: { name: string; newName?: string; newTag?: string }[];
  replicas?: { name: string; count: number }[];
  patches?: { target: { kind: string; name: string }; path: string }[];
}

type PatchStep = { op: 'add' | 'replace'; path: string; value: unknown } | { op: 'remove'; path: string };

const KNOWN = ['apiVersion', 'kind', 'namespace', 'resources', 'components', 'images', 'replicas', 'patches'];

/**
 * Builds the kustomization of a directory as `kubectl kustomize` does, as far as the manifests of this repository use it.
 * Throws an Error for anything else, so that nothing is left out silently.
 */
export function buildKustomization(directory: string): Manifest[] {
  return build(directory, []);
}

function build(directory: string, given: Manifest[]): Manifest[] {
  const file = parse(readFileSync(join(directory, 'kustomization.yaml'), 'utf8')) as Kustomization;
  const unknown = Object.keys(file).filter((field) => !KNOWN.includes(field));
  if (unknown.length > 0) throw new Error(`${directory}: ${unknown} is nothing that this renderer knows`);
  const resources = (file.resources ?? []).flatMap((name) => readResource(join(directory, name)));
  let manifests = [...given, ...resources];
  for (const component of file.components ?? []) manifests = build(join(directory, component), manifests);
  for (const { target, path } of file.patches ?? []) {
    const steps = parse(readFileSync(join(directory, path), 'utf8')) as PatchStep[];
    patch(find(manifests, target.kind, target.name), steps);
  }
  for (const { name, count } of file.replicas ?? []) find(manifests, 'Deployment', name).spec.replicas = count;
  for (const container of manifests.flatMap((each) => each.spec?.template?.spec?.containers ?? [])) {
    const image = file.images?.find(({ name }) => name === container.image);
    if (image !== undefined) container.image = `${image.newName ?? image.name}:${image.newTag ?? 'latest'}`;
  }
  if (file.namespace !== undefined) for (const { metadata } of manifests) metadata.namespace = file.namespace;
  return manifests;
}

function readResource(path: string): Manifest[] {
  if (statSync(path).isDirectory()) return build(path, []);
  return parseAllDocuments(readFileSync(path, 'utf8')).map((document) => {
    // A key that stands twice is an error, not the later one.
    if (document.errors[0] !== undefined) throw new Error(`${path}: ${document.errors[0].message}`);
    return document.toJS() as Manifest;
  });
}

function find(manifests: Manifest[], kind: string, name: string): Manifest {
  const found = manifests.find((each) => each.kind === kind && each.metadata.name === name);
  if (found === undefined) throw new Error(`There is no ${kind} ${name}`);
  return found;
}

/** Applies the steps of a JSON patch (RFC 6902) to a manifest. */
export function patch(manifest: Manifest, steps: PatchStep[]): void {
  for (const step of steps) {
    const names = step.path
      .split('/')
      .slice(1)
      .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = names.pop()!;
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    const parent = names.reduce<any>((place, name) => place?.[name], manifest);
    if (parent === undefined || (step.op !== 'add' && parent[last] === undefined)) {
      throw new Error(`${manifest.kind} ${manifest.metadata.name} has no ${step.path}`);
    }
    if (step.op === 'remove') {
      if (Array.isArray(parent)) parent.splice(Number(last), 1);
      else delete parent[last];
    } else if (Array.isArray(parent) && step.op === 'add') {
      parent.splice(last === '-' ? parent.length : Number(last), 0, step.value);
    } else {
      parent[last] = step.value;
    }
  }
}
