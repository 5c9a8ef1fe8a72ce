import { type Needs, needsOf, type OrderConstants, type ProcessConstants } from './capacity-model.ts';
import { formatMarkdown } from './markdown.ts';

/** The figures of a capacity benchmark: medians over its rounds. */
export interface Capacity {
  machine: { cores: number; model: string; node: string };
  rounds: number;
  quick: boolean;
  /** Costs of an order, by the size of its batch. */
  batches: Record<string, OrderConstants & Record<string, number>>;
  /** Bytes that an order adds to each table, by the size of its batch. */
  tables: Record<string, { table: string; tableBytes: number; indexBytes: number }[]>;
  process: ProcessConstants & Record<string, number>;
}

const MILLION = 1e6;
const DAYS = [1, 10, 100].map((millions) => millions * MILLION);
const MICROS_PER_SECOND = 1e6;
const SECONDS_PER_DAY = 86_400;
/** Main consumers of processor time. A table shows the orders a second that one core of each can serve. */
const CORES = ['API', 'worker', 'PostgreSQL', 'standby', 'Redis'];

/** Returns the tables of scaling.md by name. */
export function renderCapacity(capacity: Capacity): Record<string, string> {
  const sizes = Object.keys(capacity.batches).toSorted((a, b) => Number(b) - Number(a));
  return {
    constants: renderConstants(capacity, sizes),
    cores: formatMarkdown(
      [
        'One core of',
        ...sizes.map((size) => `batches of ${size}, orders/s`),
        ...sizes.map((size) => `batches of ${size}, millions a day`),
      ],
      CORES.map((name) => {
        const rates = sizes.map((size) => MICROS_PER_SECOND / capacity.batches[size]![`${name} µs`]!);
        const millions = rates.map((rate) => (rate * SECONDS_PER_DAY) / MILLION);
        return [name === 'worker' ? 'a worker' : name, ...rates, ...millions];
      }),
    ),
    tables: renderTables(capacity, sizes),
    processes: formatMarkdown(
      ['A process', 'connections to PostgreSQL', 'MiB'],
      ['API', 'worker'].map((name) => [
        name,
        capacity.process[`${name} connections`]!,
        capacity.process[`${name} MiB`]!,
      ]),
    ),
    ...Object.fromEntries(sizes.map((size) => [`days, batches of ${size}`, renderDays(capacity, Number(size))])),
  };
}

function renderConstants({ batches, process, machine, rounds }: Capacity, sizes: readonly string[]): string {
  const names = Object.keys(batches[sizes[0]!]!);
  const rows: (string | number)[][] = names.map((name) => [name, ...sizes.map((size) => batches[size]![name]!)]);
  const polls = ['poll API µs', 'poll PostgreSQL µs'].map((name) => [name, ...sizes.map(() => process[name]!)]);
  const table = formatMarkdown(['An order', ...sizes.map((size) => `in batches of ${size}`)], [...rows, ...polls]);
  return `${table}\n\nOn ${machine.cores} cores (${machine.model}), rounds: ${rounds} (medians).`;
}

function renderTables({ tables }: Capacity, sizes: readonly string[]): string {
  const names = [...new Set(sizes.flatMap((size) => tables[size]!.map(({ table }) => table)))].toSorted();
  const find = (size: string, name: string) => tables[size]!.find(({ table }) => table === name);
  const rows = names.map((name) => [
    `\`${name}\``,
    ...sizes.flatMap((size) => [find(size, name)?.tableBytes ?? 0, find(size, name)?.indexBytes ?? 0]),
  ]);
  const heads = sizes.flatMap((size) => [`batches of ${size}: rows`, 'indexes']);
  return formatMarkdown(['Bytes of an order in', ...heads], rows);
}

function renderDays({ batches, process }: Capacity, ordersPerBatch: number): string {
  const needs = DAYS.map((orders) => needsOf({ orders, ordersPerBatch }, batches[ordersPerBatch]!, process));
  const names = Object.keys(needs[0] satisfies Needs | undefined as Needs);
  return formatMarkdown(
    [`In batches of ${ordersPerBatch}`, ...DAYS.map((orders) => `${orders / MILLION} million a day`)],
    names.map((name) => [name, ...needs.map((each) => each[name]!)]),
  );
}
