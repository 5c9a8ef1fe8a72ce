type Schemas = Record<string, unknown>;

interface Document {
  paths?: unknown;
  components?: { schemas?: Schemas };
}

const REFERENCE = /"#\/components\/schemas\/([^"]+)"/g;

/**
 * Tidies the schemas of an OpenAPI document. The generator describes each one twice, as it is sent (`OrderInput`) and
 * as it is answered (`Order`): what no operation refers to goes, and what is left alone gets the plain name.
 */
export function tidyComponents<Api extends Document>(document: Api): Api {
  const schemas = document.components?.schemas ?? {};
  const used = reachable(schemas, document.paths);
  const plainNames = new Map(
    [...used].map((name) => {
      const plain = name.replace(/Input$/, '');
      return [name, used.has(plain) ? name : plain] as const;
    }),
  );
  const kept = Object.fromEntries([...used].sort().map((name) => [plainNames.get(name)!, schemas[name]]));
  const tidied = { ...document, components: { ...document.components, schemas: kept } };
  const renamed = JSON.stringify(tidied).replace(
    REFERENCE,
    (_, name: string) => `"#/components/schemas/${plainNames.get(name) ?? name}"`,
  );
  return JSON.parse(renamed) as Api;
}

function reachable(schemas: Schemas, from: unknown, found = new Set<string>()): Set<string> {
  for (const [, name] of JSON.stringify(from ?? null).matchAll(REFERENCE)) {
    if (name === undefined || found.has(name)) continue;
    found.add(name);
    reachable(schemas, schemas[name], found);
  }
  return found;
}
