import {
  BODY_REFUSALS,
  type Cause,
  COMMON_REFUSALS,
  causes,
  codeOf,
  findOperation,
  type Operation,
  type OperationId,
  ORDER_FAILURES,
  operations,
  ownRefusalsOf,
  REQUEST_FAULTS,
  refusalsOf,
} from '@lockstep/contract';
import {
  type ApiDocument,
  type DescribedContent,
  type DescribedOperation,
  type DescribedParameter,
  listOperations,
} from '../reference/openapi-document.ts';
import type { Schema } from '../reference/openapi-schemas.ts';
import { LIMITS } from './reference-limits.ts';
import { describeField, nameField, restates, SchemaSections } from './reference-schemas.ts';
import { code, linkTo, renderTable, wrapLines } from './reference-text.ts';

const MODULES: Record<Operation['module'], string> = { open: 'Tokens', order: 'Order module', member: 'Member center' };

/** Parameters of every call, which the introduction describes. */
const COMMON_PARAMETERS = ['g_nonce'];

const INTRODUCTION = `# API reference

For integrators who look up an operation, a field or a cause. [Integrating](integrating.md) explains how the parts work
together. \`/docs\` of a running service shows examples and lets you try calls.

- A field whose name ends in \`?\` is optional. A type that ends in \`[]\` is a list.
- A \`time\` is an int64 number of milliseconds since 1970-01-01 UTC.
- A string has at most 255 characters unless its description says otherwise.
- Every call needs the query parameter \`g_nonce\`, and every operation can be refused with the [common causes](#causes).
`;

/** Renders docs/api.md from an API description: operations with their schemas, causes and limits. */
export function renderReference(document: ApiDocument): string {
  const sections = new SchemaSections(document);
  const entries = (Object.keys(operations) as OperationId[]).map((id) => findEntry(document, id));
  const shared = findShared(entries);
  const modules = (Object.keys(MODULES) as Operation['module'][]).map((module) => {
    const own = entries.filter(({ id }) => findOperation(id).module === module);
    return [`## ${MODULES[module]}`, ...own.map((entry) => renderOperation(entry, shared, sections))].join('\n\n');
  });
  const parts = [INTRODUCTION.trimEnd(), renderOverview(entries), ...modules, renderShared(shared, sections)];
  return `${[...parts, renderCauses(), renderLimits()].join('\n\n')}\n`;
}

interface Entry {
  id: OperationId;
  path: string;
  method: string;
  operation: DescribedOperation;
}

function findEntry(document: ApiDocument, id: OperationId): Entry {
  const found = listOperations(document).find(({ operation }) => operation.operationId === id);
  if (found === undefined) throw new Error(`The description has no operation ${id}`);
  return { id, ...found };
}

function renderOverview(entries: Entry[]): string {
  const rows = entries.map(({ id, path, method }) => {
    const { name = '' } = findOperation(id);
    return [name, linkTo(id), code(`${method.toUpperCase()} ${path}`)];
  });
  return `## Operations\n\n${renderTable(['Name', 'Operation', 'Call'], rows)}`;
}

function renderOperation(
  { id, path, method, operation }: Entry,
  shared: SharedParameters,
  sections: SchemaSections,
): string {
  const { name } = findOperation(id);
  const call = code(`${method.toUpperCase()} ${path}`);
  const refusals = ownRefusalsOf(id).map(code).join(', ');
  const parameters = renderParameters(operation.parameters ?? [], shared, sections);
  const contents = renderContents(operation, sections);
  return [
    `### ${id}`,
    name === undefined ? call : `${name}: ${call}`,
    ...(operation.description ?? '').split('\n\n').map((each) => wrapLines(each)),
    parameters,
    contents,
    refusals === '' ? '' : wrapLines(`Causes: ${refusals}.`),
    ...sections.takeNew(),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Renders the parameters of one operation: links to shared ones, and a table of the others. */
function renderParameters(
  parameters: DescribedParameter[],
  shared: SharedParameters,
  sections: SchemaSections,
): string {
  const isShared = (each: DescribedParameter) => shared.has(keyOf(each));
  const own = parameters.filter((each) => !COMMON_PARAMETERS.includes(each.name) && !isShared(each));
  const names = parameters.filter(isShared).map(({ name }) => code(name));
  const table =
    own.length === 0
      ? []
      : [
          renderTable(
            PARAMETER_HEADINGS,
            own.map((each) => rowOf(each, sections)),
          ),
        ];
  const note = names.length === 0 ? [] : [wrapLines(`[Shared parameters](#shared-parameters): ${names.join(', ')}.`)];
  return [...note, ...table].join('\n\n');
}

const PARAMETER_HEADINGS = ['Parameter', 'Type', 'Meaning'];

function rowOf(
  { name, description = '', required = false, schema = {} }: DescribedParameter,
  sections: SchemaSections,
) {
  const described = { ...schema, description };
  const meaning = restates(describeField(described), name) ? '' : describeField(described);
  const fallback = schema.default === undefined ? '' : ` Default: ${String(schema.default)}.`;
  return [nameField(name, required), sections.typeOf(described, name), `${meaning}${fallback}`.trim()];
}

/** Parameters that several operations share, by `keyOf`. */
type SharedParameters = ReadonlyMap<string, DescribedParameter>;

const keyOf = ({ name, required, description, schema }: DescribedParameter) =>
  JSON.stringify([name, required, description, schema]);

function findShared(entries: Entry[]): SharedParameters {
  const all = entries.flatMap(({ operation }) => operation.parameters ?? []);
  const own = all.filter(({ name }) => !COMMON_PARAMETERS.includes(name));
  const groups = Map.groupBy(own, keyOf);
  return new Map([...groups].flatMap(([key, [first, second]]) => (first && second ? [[key, first] as const] : [])));
}

function renderShared(shared: SharedParameters, sections: SchemaSections): string {
  const rows = [...shared.values()].map((each) => rowOf(each, sections));
  return ['## Shared parameters', renderTable(PARAMETER_HEADINGS, rows)].join('\n\n');
}

/** Returns the body and the answer of an operation in one line. */
function renderContents({ requestBody, responses = {} }: DescribedOperation, sections: SchemaSections): string {
  const body = requestBody === undefined ? [] : [`Body: ${sections.typeOf(schemaOf(requestBody))}.`];
  const success = schemaOf(responses['200'] ?? {});
  const failure = sections.typeOf(schemaOf(responses['299'] ?? responses['400'] ?? {}));
  const ofFailure = failure === COMMON_FAILURE ? [] : [`Failure: ${failure}.`];
  return wrapLines([...body, renderAnswer(success, sections), ...ofFailure].join(' '));
}

const COMMON_FAILURE = '[Failure](#failure)';

function renderAnswer(success: Schema, sections: SchemaSections): string {
  const { properties = {} } = sections.resolve(success);
  const { code: successCode, message, data, ...more } = properties;
  if (successCode === undefined || message === undefined) return `Answer: ${sections.typeOf(success)}.`;
  if (data === undefined) return 'Answer: no `data`.';
  if (data.type?.includes('null') && data.properties === undefined) return 'Answer: `data` is null.';
  const words = Object.entries({ data, ...more }).map(([name, schema]) => {
    const type = `${code(name)}: ${sections.typeOf(schema)}.`;
    return schema.$ref === undefined ? `${type} ${schema.description ?? ''}`.trim() : type;
  });
  return `Answer: ${words.join(' ')}`;
}

function schemaOf({ content = {} }: DescribedContent): Schema {
  return Object.values(content)[0]?.schema ?? {};
}

function renderCauses(): string {
  const all = Object.keys(causes) as Cause[];
  const used = new Set([...(Object.keys(operations) as OperationId[]).flatMap(refusalsOf), ...REQUEST_FAULTS]);
  const rows = all.map((cause) => [
    code(cause),
    [...new Set([codeOf(cause, 'order'), codeOf(cause, 'member')])].join(', '),
    causes[cause].message,
  ]);
  const list = (words: string, some: readonly Cause[]) => `- ${words}: ${some.map(code).join(', ')}.`;
  const groups = [
    list('Every operation', COMMON_REFUSALS.order),
    list(
      'In the member center also',
      COMMON_REFUSALS.member.filter((cause) => !COMMON_REFUSALS.order.includes(cause)),
    ),
    list('Every call with a body', BODY_REFUSALS),
    list('Orders', ORDER_FAILURES),
    list('Requests that reach no operation', REQUEST_FAULTS),
    list(
      'Never used',
      all.filter((cause) => !used.has(cause)),
    ),
  ].map((line) => wrapLines(line, '  '));
  return [
    '## Causes',
    wrapLines(
      'If there are two codes, the second is that of the member center. `{0}` and `{1}` stand for values. ' +
        'Messages can change; causes and codes cannot.',
    ),
    groups.join('\n'),
    renderTable(['Cause', 'Code', 'Message'], rows),
  ].join('\n\n');
}

function renderLimits(): string {
  const rows = LIMITS.map(([what, value]) => [what, value]);
  return `## Limits\n\n${renderTable(['What', 'Limit'], rows)}`;
}
