import { ME_ROOT, ORDER_ROOT } from '@lockstep/contract';
import { type ConsoleOperation, consoleOperations } from '@lockstep/contract/console';
import {
  type ApiDocument,
  type DescribedOperation,
  type DescribedParameter,
  listOperations,
} from '../reference/openapi-document.ts';
import type { Schema } from '../reference/openapi-schemas.ts';

const LINE_CHARACTERS = 120;
const BLOCK = /(<!-- (operation|parameters|fields) (\w+) -->\n).*?(<!-- end -->)/gs;
/** The page leaves these out of paths, as it says at its beginning. */
const ROOTS = [ORDER_ROOT, ME_ROOT];
/** Parameters of every call, which the page explains once. */
const OF_EVERY_CALL = ['g_nonce', 'appKey'];

/**
 * Returns the page docs/api.md with texts of an API description in its marked places. The marks are `operation ID`
 * (path and description), `parameters ID` (a table of the query) and `fields NAME` (a table of a schema's fields).
 * Replaces what stands between a mark and the next `end`. Throws an Error if the description does not have what a mark
 * names.
 */
export function fillReference(page: string, document: ApiDocument): string {
  return page.replace(BLOCK, (_, mark: string, kind: string, name: string, end: string) => {
    const words =
      kind === 'operation'
        ? describeCall(document, name)
        : kind === 'parameters'
          ? renderTable('Parameter', listParameters(findDescribed(document, name).operation))
          : renderTable('Field', listFields(document, name));
    return `${mark}\n${words}\n\n${end}`;
  });
}

function findDescribed(document: ApiDocument, operationId: string) {
  const found = listOperations(document).find(({ operation }) => operation.operationId === operationId);
  if (found !== undefined) return found;
  throw new Error(`There is no operation ${operationId}`);
}

function describeCall(document: ApiDocument, operationId: string): string {
  const { path, method, operation } = findDescribed(document, operationId);
  const root = ROOTS.find((each) => path.startsWith(each)) ?? '';
  const call = `\`${method.toUpperCase()} ${path.slice(root.length)}\``;
  return [call, ...(operation.description ?? '').split('\n\n').map(wrapLines)].join('\n\n');
}

function listParameters({ parameters = [] }: DescribedOperation): DescribedParameter[] {
  return parameters.filter(({ name }) => !OF_EVERY_CALL.includes(name));
}

function listFields(document: ApiDocument, name: string): DescribedParameter[] {
  const schema = ((document.components?.schemas ?? {}) as Record<string, Schema & { required?: string[] }>)[name];
  if (schema?.properties === undefined) throw new Error(`There is no schema ${name} with fields`);
  return Object.entries(schema.properties).map(([field, { description = '' }]) => {
    return { name: field, description, required: schema.required?.includes(field) ?? false };
  });
}

function renderTable(heading: string, rows: DescribedParameter[]): string {
  const lines = rows.map(({ name, description = '', required = false, schema }) => {
    const absence = schema?.default === undefined ? '' : ` ${String(schema.default)} where it is absent.`;
    return `| \`${name}\` | ${required ? '' : 'Optional. '}${description}${absence} |`;
  });
  return [`| ${heading} | Meaning |`, '|---|---|', ...lines].join('\n');
}

/** Breaks a paragraph into lines that fit the page. */
function wrapLines(paragraph: string): string {
  const lines: string[] = [];
  for (const word of paragraph.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= LINE_CHARACTERS)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}

const CONSOLE_BLOCK = /(<!-- console operations -->\n).*?(<!-- end -->)/s;

/** Returns the page docs/console.md with the table of the console's operations in its marked place. */
export function fillConsoleReference(page: string): string {
  const operations = Object.values<ConsoleOperation>(consoleOperations);
  const rows = operations.map(({ method, path, role, summary }) => `| \`${method} ${path}\` | ${role} | ${summary} |`);
  const table = ['| Call | Role | What it does |', '|---|---|---|', ...rows].join('\n');
  return page.replace(CONSOLE_BLOCK, (_, begin: string, end: string) => `${begin}\n${table}\n\n${end}`);
}
