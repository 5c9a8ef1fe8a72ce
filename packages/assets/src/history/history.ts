import { type AssetHistory, type AssetId, Refusal } from '@lockstep/contract';
import {
  type CursorPart,
  type Database,
  inSnapshot,
  isId,
  ListCursor,
  type Trx,
  WrongCursor,
} from '@lockstep/platform';
import { findAssetsOfNumber, type TracedAsset } from './assets.ts';
import { type EntryPlace, isAction, readEntries, type StepEntry } from './entries.ts';
import { type HistoryCaller, readSteps, type Step, type Viewer } from './steps.ts';

/** A position in a history: an entry, or a whole step if `entry` is null. Later positions are older. */
interface Place {
  step: Pick<Step, 'assetId' | 'kind' | 'id'>;
  entry: EntryPlace | null;
}

/**
 * Lists the history of an asset number, newest first, a page of at most `limit` entries that the application can see
 * (rules 6.7).
 *
 * Throws a Refusal: asset_not_found if the caller can see no asset that ever had the number. Throws a WrongCursor.
 */
export async function readAssetHistory(
  db: Database,
  caller: HistoryCaller,
  assetNum: string,
  page: HistoryPage,
): Promise<AssetHistory> {
  const read = await inSnapshot(db, (trx) => readHistoryPage(trx, caller, assetNum, page));
  if (read === null) throw new Refusal('asset_not_found', assetNum, ' and never was');
  return { entries: read.entries.map(({ entry }) => entry), nextCursor: read.nextCursor };
}

/** The requested page of a history. */
export interface HistoryPage {
  limit: number;
  cursor?: string | undefined;
}

/**
 * Reads a page of a history, as far as the viewer can see it, in one snapshot. The source is the ledger itself: assets
 * one after the other, on each the steps of orders and locks, and the entries of each step. These never change or move,
 * so pages stay consistent while orders take effect. A page costs the steps of the assets it shows, regardless of how
 * much was bought in them. Null if the viewer can see no asset that ever had the number.
 *
 * Throws a WrongCursor.
 */
export async function readHistoryPage(
  trx: Trx,
  viewer: Viewer,
  assetNum: string,
  { limit, cursor }: HistoryPage,
): Promise<{ entries: StepEntry[]; nextCursor: string | null } | null> {
  const cursors = new ListCursor(['assetHistory', viewer.applicationId, { assetNum }], cursor, PARTS);
  const after = cursors.after && parsePlace(cursors.after);
  const findAssets = (from: AssetId | null) =>
    findAssetsOfNumber(trx, viewer.channels, assetNum, { from, limit: limit + 1 });
  // Each visible asset has an entry, so these are enough for a page and to know whether another follows.
  const newest = await findAssets(null);
  if (newest!.length === 0) return null;
  const assets = after === null ? newest : await findAssets(after.step.assetId);
  if (assets === null) throw new WrongCursor();
  const steps = await readSteps(trx, viewer, assets);
  const from = after === null ? START : findStart(steps, after, assets);
  const left = steps.slice(from.index);
  // A step may have no entry: an order may end a grant that has no contents left.
  const shown = left.slice(0, limit + 1);
  const entries = await readEntries(trx, shown, { after: from.entry, limit: limit + 1 });
  const page = entries.slice(0, limit);
  const end = findEnd({ entries, page, shown, left });
  return { entries: page, nextCursor: cursors.write(end && formatPlace(end)) };
}

/** Where a page begins: at a step, or after an entry of it. */
interface Start {
  index: number;
  entry: EntryPlace | null;
}
const START: Start = { index: 0, entry: null };

function findStart(steps: readonly Step[], { step, entry }: Place, assets: readonly TracedAsset[]): Start {
  const index = steps.findIndex(({ assetId, kind, id }) => {
    return assetId === step.assetId && kind === step.kind && id === step.id;
  });
  if (index >= 0) return entry === null ? { index: index + 1, entry } : { index, entry };
  // The asset was transferred to another channel since then; the page begins with the next older one.
  if (!assets.some(({ id }) => id === step.assetId)) return START;
  throw new WrongCursor();
}

/** Returns where the next page begins; null if this is the last one. */
function findEnd(read: { entries: StepEntry[]; page: StepEntry[]; shown: Step[]; left: Step[] }): Place | null {
  const { entries, page, shown, left } = read;
  const last = page.at(-1);
  if (entries.length > page.length && last !== undefined) return { step: last.step, entry: last.place };
  return left.length > shown.length ? { step: shown.at(-1)!, entry: null } : null;
}

function formatPlace({ step, entry }: Place): string[] {
  return [step.assetId, step.kind, step.id, entry?.action ?? '', entry?.aboutId ?? ''];
}

/** The parts of a position, as formatPlace writes them. */
const PARTS: CursorPart[] = [isId, () => true, isId, () => true, () => true];

/** Parses the content of a cursor, which a client may have made up. Throws a WrongCursor. */
function parsePlace(texts: readonly string[]): Place {
  const [assetId, kind, id, action, aboutId] = texts as [string, string, string, string, string];
  const step = { assetId: assetId as AssetId, kind: kind as Step['kind'], id };
  if (action === '') return { step, entry: null };
  if (!isAction(action) || !isId(aboutId)) throw new WrongCursor();
  return { step, entry: { action, aboutId } };
}
