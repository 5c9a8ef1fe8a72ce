import type { EnterpriseAsset, ListedEmployee } from '@lockstep/contract';
import { buildMessage, type Cause } from '@lockstep/contract/causes';
import { STATUS } from '../output/status.ts';
import { formatTable } from '../output/table.ts';
import { say, sayAside } from '../output/terminal.ts';
import type { Column } from '../output/values.ts';
import { nameOf, readGivenFile } from './batch-file.ts';
import type { OrderClient } from './client.ts';
import { readEnterprise } from './members.ts';
import { parseSeats, type SeatRow } from './seats-file.ts';

/** What an employee loses and gets. */
interface Entry {
  memberGlobalId: string;
  deleteAssets: string[];
  addAssets: string[];
}

/** A row with what it changes. */
export interface Assignment extends SeatRow {
  /** The accounts before and after; null if there is none. */
  from: string | null;
  to: string | null;
  outcome: 'assigned' | 'moved' | 'unassigned' | 'unchanged' | Cause;
  message: string | null;
  entries: Entry[];
}

/** Maximum entries of a call. Each names one asset, so their numbers are fewer than a call may have. */
const MAX_ENTRIES = 1_000;

const COLUMNS: readonly Column<Assignment>[] = [
  { head: 'row', cell: ({ row }) => row, isRight: true },
  { head: 'asset number', cell: ({ assetNum }) => assetNum },
  { head: 'from', cell: ({ from }) => from, wraps: true },
  { head: 'to', cell: ({ to }) => to, wraps: true },
  { head: 'outcome', cell: ({ outcome }) => outcome },
];

/**
 * Assigns assets as a file says, each row on its own, and prints what became of each. If a call fails, prints the rows
 * of the calls before it; the command can be repeated, because it finds those unchanged.
 */
export async function assign(
  client: OrderClient,
  { file, preview, json }: { file: string; preview?: true; json?: true },
): Promise<void> {
  const rows = parseSeats(await readGivenFile(file), nameOf(file));
  const planned = planAssignments(rows, await readEnterprise(client));
  const done = new Set(planned.filter(({ entries }) => entries.length === 0));
  try {
    for (const part of splitByCall(planned)) {
      // A move is two entries. The preview keeps an asset with its employee if the second one would be refused.
      await configure(client, part, true);
      if (!preview) await configure(client, part, false);
      for (const row of part) done.add(row);
    }
  } finally {
    showRows(
      planned.filter((row) => done.has(row)),
      json,
    );
  }
  if (preview) sayAside('Nothing was changed.');
}

/** Prints rows, and sets the exit status of a refusal if one was refused. */
function showRows(rows: readonly Assignment[], json?: true): void {
  const refused = rows.filter(({ message }) => message !== null);
  if (json) for (const { entries: _, ...row } of rows) say(JSON.stringify(row));
  else say([formatTable(COLUMNS, rows), ...refused.map(({ row, message }) => `${row}: ${message}`)].join('\n'));
  if (refused.length > 0) process.exitCode = STATUS.refused;
}

/** Returns what each row changes in an enterprise, or why it can't. Of two rows with one asset, the second can't. */
export function planAssignments(
  rows: readonly SeatRow[],
  { employees, assets }: { employees: readonly ListedEmployee[]; assets: readonly EnterpriseAsset[] },
): Assignment[] {
  const ids = new Map(
    employees.flatMap(({ userName, globalId }) => {
      return [userName, userName.split('@')[0]!].map((account) => [account, globalId] as const);
    }),
  );
  const accounts = new Map(employees.map(({ globalId, userName }) => [globalId as string, userName]));
  const found = new Map(assets.map((asset) => [asset.assetNum, asset]));
  const named = new Set<string>();
  return rows.map((row): Assignment => {
    const { assetNum, account } = row;
    const holderId = found.get(assetNum)?.cloudAccountGlobalId ?? null;
    const memberId = ids.get(account) ?? null;
    const from = holderId === null ? null : (accounts.get(holderId) ?? holderId);
    const to = memberId === null ? account || null : accounts.get(memberId)!;
    const planned = { ...row, from, to, message: null, entries: [] };
    const refuse = (cause: Cause, ...args: string[]) => ({
      ...planned,
      outcome: cause,
      message: describe(cause, args),
    });
    if (!found.has(assetNum)) return refuse('asset_number_not_found', 'assetNum', assetNum);
    if (named.size === named.add(assetNum).size)
      return refuse('asset_configured_twice', 'assetNum', assetNum, 'repeated');
    if (account !== '' && memberId === null) return refuse('employee_not_matched', account);
    if (holderId === memberId) return { ...planned, outcome: 'unchanged' };
    const withdrawal = { memberGlobalId: holderId ?? '', deleteAssets: [assetNum], addAssets: [] };
    const addition = { memberGlobalId: memberId ?? '', deleteAssets: [], addAssets: [assetNum] };
    const entries = [...(holderId === null ? [] : [withdrawal]), ...(memberId === null ? [] : [addition])];
    const outcome = entries.length === 2 ? 'moved' : memberId === null ? 'unassigned' : 'assigned';
    return { ...planned, entries, outcome };
  });
}

/** Describes a fault without its path, which names an entry of a call instead of a row. */
const describe = (cause: Cause, args: readonly string[]) =>
  buildMessage(cause, ...args).replace(/^[\w.[\]]+: (.)/, (_, first: string) => first.toUpperCase());

/** Splits rows so that the entries of each part fit into one call. Omits rows without entries. */
function splitByCall(rows: readonly Assignment[]): Assignment[][] {
  const parts: Assignment[][] = [];
  let room = 0;
  for (const row of rows.filter(({ entries }) => entries.length > 0)) {
    if (room < row.entries.length) {
      parts.push([]);
      room = MAX_ENTRIES;
    }
    parts.at(-1)!.push(row);
    room -= row.entries.length;
  }
  return parts;
}

/** Sends the entries of rows that no call has refused yet, and notes which rows are refused. */
async function configure(client: OrderClient, rows: readonly Assignment[], isPreview: boolean): Promise<void> {
  const sent = rows.filter(({ message }) => message === null);
  if (sent.length === 0) return;
  const { failed } = await client.call('configureEmployees', {
    query: { preview: isPreview ? 'true' : undefined },
    body: { privileges: sent.flatMap(({ entries }) => entries) },
  });
  const rowsOfEntries = sent.flatMap((row) => row.entries.map(() => row));
  for (const { index, cause, args } of failed) {
    const row = rowsOfEntries[index]!;
    if (row.message !== null) continue;
    row.outcome = cause;
    row.message = describe(cause, args);
  }
}
