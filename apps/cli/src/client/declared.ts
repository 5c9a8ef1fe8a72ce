import type { DataOf, EntryOf, ListId } from '@lockstep/client';
import { routes } from '@lockstep/contract/routes';
import type { Command } from 'commander';
import type { ListOptions } from '../options.ts';
import { printList } from '../output/lists.ts';
import { formatFields, formatTable } from '../output/table.ts';
import { say, sayAside } from '../output/terminal.ts';
import type { Column, Fields } from '../output/values.ts';
import type { CalledId, OrderClient } from './client.ts';
import { formatOf, save } from './export.ts';

type Values = Record<string, string | true | undefined>;

/** An operation of the contract, and what its command prints for people: a list, an object or a sentence. */
export type Declared<Id extends CalledId, Row = unknown> = { id: Id } & (
  | { columns: readonly Column<EntryOf<Id>>[]; isOnePage?: true }
  | {
      fields: (data: DataOf<Id>) => Fields;
      /** A table below the fields. */
      table?: { columns: readonly Column<Row>[]; rows: (data: DataOf<Id>) => readonly Row[] };
      /** What to do next, for standard error. */
      hint?: string;
    }
  | { sentence: (data: DataOf<Id>, values: Values) => string }
);

/** The fields of the interface that have a shorter name on the command line. */
const FIELDS: Record<string, string> = {
  asset: 'assetNum',
  batch: 'channelOrderId',
  channel: 'channelCode',
  customer: 'customerId',
  enterprise: 'enterpriseGlobalId',
  entry: 'deliveryId',
  member: 'memberGlobalId',
  number: 'assetNum',
  type: 'orderType',
  webhook: 'webhookId',
};
/** The options that are no fields of a call. */
const OWN_OPTIONS = [
  ...['json', 'csv', 'ndjson', 'limit', 'all'],
  ...['baseUrl', 'appKey', 'appSecretFile', 'account', 'passwordFile'],
];

/** Calls an operation with the arguments and options of its command, and prints its answer. */
export async function callDeclared<Id extends CalledId, Row>(
  client: OrderClient,
  command: Command,
  declared: Declared<Id, Row>,
): Promise<void> {
  const { json, limit, all, ...options } = command.opts<Partial<ListOptions>>();
  const { params, query, body } = readFields(command, declared.id);
  if ('columns' in declared) {
    const id = declared.id as Id & ListId;
    const { list } = routes[id];
    const format = formatOf(options);
    if (format) return await save(client.export(format, id, ...([{ params, query }] as never)));
    const read = (size: string) => {
      const page = limit === undefined ? {} : { ['pageSize' in list.page ? 'pageSize' : 'limit']: size };
      return client.list(id, ...([{ params, query: { ...query, ...page } }] as never));
    };
    return await printList(read, declared.columns as never, { json, limit: limit ?? Number.POSITIVE_INFINITY, all });
  }
  const data = await client.call(declared.id, ...([{ params, query, body }] as never));
  if (json) return say(JSON.stringify(data ?? params));
  if ('sentence' in declared) return say(declared.sentence(data, { ...params, ...body }));
  const { fields, table, hint } = declared;
  const rows = table?.rows(data) ?? [];
  say([formatFields(fields(data)), ...(rows.length > 0 ? ['', formatTable(table!.columns, rows)] : [])].join('\n'));
  if (hint !== undefined) sayAside(hint);
}

/** Returns the parts of a call, filled by the arguments and options of its command. A GET has no body. */
function readFields(command: Command, id: CalledId): { params: Values; query: Values; body?: Values } {
  const { path, method } = routes[id];
  const given = [
    ...command.registeredArguments.map((argument, index) => [argument.name(), command.processedArgs[index]]),
    ...command.options.map((option) => [option.attributeName(), command.getOptionValue(option.attributeName())]),
  ];
  const parts: ReturnType<typeof readFields> = { params: {}, query: {} };
  for (const [name, value] of given) {
    if (OWN_OPTIONS.includes(name)) continue;
    const field = FIELDS[name] ?? name;
    if (path.includes(`{${field}}`)) parts.params[field] = value;
    else if (method === 'GET') parts.query[field] = value;
    else parts.body = { ...parts.body, [field]: value };
  }
  return parts;
}
