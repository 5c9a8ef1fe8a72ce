import { ME_ROOT, ORDER_ROOT } from '@lockstep/contract';
import type { Schema } from './openapi-schemas.ts';

interface Parameter {
  name: string;
  description?: string;
  required?: boolean;
  schema?: Schema;
}

interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  parameters?: Parameter[];
}

interface Document {
  paths?: unknown;
  components?: { schemas?: unknown };
}

const LINE_CHARACTERS = 120;
const BLOCK = /(<!-- (operation|parameters|fields) (\w+) -->\n).*?(<!-- end -->)/gs;
/** The page leaves these out of paths, as it says at its beginning. */
const ROOTS = [ORDER_ROOT, ME_ROOT];
/** What every call takes, which the page says once. */
const OF_EVERY_CALL = ['g_nonce', 'appKey'];

/**
 * The page docs/api.md with the words of an API description in its marked places: `operation ID`, what an operation is
 * called and does; `parameters ID`, those of its query; `fields NAME`, those of a schema. What is between a mark and the
 * next `end` is replaced. Throws an Error for a mark that the description knows nothing of.
 */
export function fillReference(page: string, document: Document): string {
  return page.replace(BLOCK, (_, mark: string, kind: string, name: string, end: string) => {
    const words =
      kind === 'operation'
        ? callOf(document, name)
        : kind === 'parameters'
          ? tableOf('Parameter', parametersOf(operationOf(document, name).operation))
          : tableOf('Field', fieldsOf(document, name));
    return `${mark}\n${words}\n\n${end}`;
  });
}

function operationOf(document: Document, operationId: string) {
  const paths = (document.paths ?? {}) as Record<string, Record<string, Operation>>;
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.operationId === operationId) return { path, method, operation };
    }
  }
  throw new Error(`There is no operation ${operationId}`);
}

function callOf(document: Document, operationId: string): string {
  const { path, method, operation } = operationOf(document, operationId);
  const root = ROOTS.find((each) => path.startsWith(each)) ?? '';
  const call = `\`${method.toUpperCase()} ${path.slice(root.length)}\``;
  return [call, ...(operation.description ?? '').split('\n\n').map(wrapped)].join('\n\n');
}

function parametersOf({ parameters = [] }: Operation): Parameter[] {
  return parameters.filter(({ name }) => !OF_EVERY_CALL.includes(name));
}

function fieldsOf(document: Document, name: string): Parameter[] {
  const schema = ((document.components?.schemas ?? {}) as Record<string, Schema & { required?: string[] }>)[name];
  if (schema?.properties === undefined) throw new Error(`There is no schema ${name} with fields`);
  return Object.entries(schema.properties).map(([field, { description = '' }]) => {
    return { name: field, description, required: schema.required?.includes(field) ?? false };
  });
}

function tableOf(heading: string, rows: Parameter[]): string {
  const lines = rows.map(({ name, description = '', required = false, schema }) => {
    const absence = schema?.default === undefined ? '' : ` ${String(schema.default)} where it is absent.`;
    return `| \`${name}\` | ${required ? '' : 'Optional. '}${description}${absence} |`;
  });
  return [`| ${heading} | Meaning |`, '|---|---|', ...lines].join('\n');
}

/** A paragraph in lines of the page's length. */
function wrapped(paragraph: string): string {
  const lines: string[] = [];
  for (const word of paragraph.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= LINE_CHARACTERS)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}
