import { type AssetId, type Cause, type ConfigureAssets, type MemberId, Refusal } from '@lockstep/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AssetFacts, type ConfigurationFacts, type LoanFacts, planConfiguration, planLoan } from './holdings.ts';

/** What M9 changes, what M10 lends into a borrowed lock, and what they are refused for (rules 8). */

const KIM = '100001' as MemberId;
const LEE = '100002' as MemberId;

type End<Result> = Result | { cause: Cause; path: string };

/** The result of a plan, or its refusal. */
function endOf<Result>(plan: () => Result): End<Result> {
  try {
    return plan();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { cause: error.reason, path: error.message.split(':')[0]! };
  }
}

const idOf = (assetNum: string) => `id-${assetNum}` as AssetId;

/** The kinds of number: of another enterprise, unknown, and the enterprise's own. */
type Kind = 'asset' | 'borrowed lock' | 'elsewhere' | 'unknown';

/** The kinds of number, and the holder by number. The id of an asset is its number with the prefix `id-`. */
interface World {
  kinds: Record<string, Kind>;
  holders: Record<string, MemberId>;
}

function namedIn({ kinds, holders }: World): ConfigurationFacts {
  const numsOf = (...wanted: Kind[]) => Object.keys(kinds).filter((assetNum) => wanted.includes(kinds[assetNum]!));
  const assets = numsOf('asset', 'borrowed lock').map((assetNum) => ({
    id: idOf(assetNum),
    assetNum,
    isLocked: false,
    isFrozen: false,
    isBorrowedLock: kinds[assetNum] === 'borrowed lock',
  }));
  return {
    memberId: KIM,
    assets: new Map(assets.map((asset) => [asset.assetNum, asset])),
    elsewhere: new Set(numsOf('elsewhere')),
    holderOf: new Map(Object.entries(holders).map(([assetNum, holder]) => [idOf(assetNum), holder])),
  };
}

/** The result of Kim's M9: the numbers unassigned and assigned, or the refusal. */
const configured = (wanted: ConfigureAssets, world: World) =>
  endOf(() => {
    const { withdrawn, assigned } = planConfiguration(wanted, namedIn(world));
    const numsOf = (assets: typeof withdrawn) => assets.map(({ assetNum }) => assetNum);
    return { withdrawn: numsOf(withdrawn), assigned: numsOf(assigned) };
  });

/**
 * The same, computed number by number on a map of holders. The first number that cannot be changed gives the refusal.
 */
function onNotebook(
  { deleteAssets, addAssets }: ConfigureAssets,
  { kinds, holders }: World,
): End<{ withdrawn: string[]; assigned: string[] }> {
  const notebook = { ...holders };
  const refuse = (cause: Cause, list: string, index: number) => ({ cause, path: `${list}[${index}]` });
  for (const [index, assetNum] of deleteAssets.entries()) {
    if (kinds[assetNum] === 'elsewhere') return refuse('asset_of_other_enterprise', 'deleteAssets', index);
    if (notebook[assetNum] !== KIM) return refuse('asset_not_withdrawable', 'deleteAssets', index);
    delete notebook[assetNum];
  }
  for (const [index, assetNum] of addAssets.entries()) {
    if (kinds[assetNum] === 'elsewhere') return refuse('asset_of_other_enterprise', 'addAssets', index);
    if (kinds[assetNum] !== 'asset') return refuse('asset_number_not_found', 'addAssets', index);
    if (notebook[assetNum] !== undefined) return refuse('asset_configured_twice', 'addAssets', index);
    notebook[assetNum] = KIM;
  }
  return { withdrawn: deleteAssets, assigned: addAssets };
}

/** Few numbers, so that the lists often share one. */
const NUMBERS = ['1', '2', '3', '4', '5'];
const world: fc.Arbitrary<World> = fc
  .tuple(
    ...NUMBERS.map((assetNum) =>
      fc.record({
        assetNum: fc.constant(assetNum),
        kind: fc.oneof(
          { weight: 8, arbitrary: fc.constant<Kind>('asset') },
          { weight: 1, arbitrary: fc.constantFrom<Kind>('borrowed lock', 'elsewhere', 'unknown') },
        ),
        holder: fc.constantFrom(undefined, KIM, KIM, LEE),
      }),
    ),
  )
  .map((entries) => ({
    kinds: Object.fromEntries(entries.map(({ assetNum, kind }) => [assetNum, kind])),
    holders: Object.fromEntries(
      entries
        .filter(({ kind, holder }) => kind === 'asset' && holder !== undefined)
        .map(({ assetNum, holder }) => [assetNum, holder!]),
    ),
  }));
const numbers = fc.array(fc.constantFrom(...NUMBERS), { maxLength: 3 });
const wanted: fc.Arbitrary<ConfigureAssets> = fc.record({ deleteAssets: numbers, addAssets: numbers });

describe('whatever M9 wants of whatever is there', () => {
  it('it ends as number by number on a notebook', () => {
    fc.assert(
      fc.property(wanted, world, (wanted, world) => {
        expect(configured(wanted, world)).toEqual(onNotebook(wanted, world));
      }),
      { numRuns: 2_000 },
    );
  });

  it('what was done can be undone', () => {
    fc.assert(
      fc.property(wanted, world, (wanted, world) => {
        const end = configured(wanted, world);
        if ('cause' in end) return;
        const holders = { ...world.holders };
        for (const assetNum of end.withdrawn) delete holders[assetNum];
        for (const assetNum of end.assigned) holders[assetNum] = KIM;
        const undo = { deleteAssets: end.assigned, addAssets: end.withdrawn };
        expect(configured(undo, { ...world, holders })).toEqual({ withdrawn: end.assigned, assigned: end.withdrawn });
      }),
      { numRuns: 500 },
    );
  });
});

const LOCK: AssetFacts = {
  id: '9' as AssetId,
  assetNum: 'LOCK',
  isBorrowedLock: true,
  isLocked: false,
  isFrozen: false,
};
const OTHER_LOCK_ID = '8' as AssetId;

const ids = (...texts: string[]) => texts as AssetId[];

/** Kim has 1 to 5, with nodes on all but 3; 4 is lent into this lock, 5 into another one. Lee has 6. */
const SITUATION: LoanFacts = {
  memberId: KIM,
  lock: LOCK,
  lockHolderIds: new Set([KIM]),
  holderOf: new Map(ids('1', '2', '3', '4', '5', '6').map((id) => [id, id === '6' ? LEE : KIM])),
  lockOf: new Map(ids('4', '5').map((id) => [id, id === '4' ? LOCK.id : OTHER_LOCK_ID])),
  frozenIds: new Set(),
  idsWithNodes: new Set(ids('1', '2', '4', '5', '6')),
};

/** The ids that Kim's M10 lends, or the refusal. */
const loaned = (assetIDs: string[], changes: Partial<LoanFacts> = {}) =>
  endOf(() => {
    const wanted = { borrowedUsbKey: 'LOCK', assetIDs: ids(...assetIDs) };
    const { lock, lentIds } = planLoan(wanted, { ...SITUATION, ...changes });
    expect(lock).toBe(LOCK);
    return { lentIds };
  });

describe('a loan', () => {
  it('that was made before is a no-op, even if the asset is frozen and has no node left', () => {
    expect(loaned(['4'], { frozenIds: new Set(ids('4')), idsWithNodes: new Set() })).toEqual({ lentIds: [] });
  });

  it('of an asset with several faults is refused for the first: not held, lent elsewhere, frozen, without nodes', () => {
    const nodeless = { frozenIds: new Set(ids('1', '5', '6')), idsWithNodes: new Set<AssetId>() };
    expect(loaned(['6'], nodeless)).toMatchObject({ cause: 'asset_not_held' });
    expect(loaned(['5'], nodeless)).toMatchObject({ cause: 'asset_lent_elsewhere' });
    expect(loaned(['1'], nodeless)).toMatchObject({ cause: 'asset_frozen_not_lent' });
  });

  it('of several assets with faults is refused for that of the first asset', () => {
    expect(loaned(['3', '5', '6'])).toMatchObject({ cause: 'asset_without_nodes', path: 'assetIDs[0]' });
    expect(loaned(['1', '6', '5'])).toMatchObject({ cause: 'asset_not_held', path: 'assetIDs[1]' });
  });
});

const assetIDs = fc.array(fc.constantFrom('1', '2', '3', '4', '5', '6', '7'), { minLength: 1, maxLength: 4 });
const holderOf = fc.constantFrom(KIM, KIM, KIM, LEE, undefined);
const lockOf = fc.constantFrom(undefined, undefined, LOCK.id, OTHER_LOCK_ID);

/** Any assignments, loans and nodes of the assets 1 to 7. A lent asset is assigned. */
const situation: fc.Arbitrary<Partial<LoanFacts>> = fc
  .array(fc.record({ holder: holderOf, lockId: lockOf, hasNodes: fc.boolean() }), { minLength: 7, maxLength: 7 })
  .map((entries) => {
    const assets = entries.map((entry, index) => ({ ...entry, id: String(index + 1) as AssetId }));
    const held = assets.filter(({ holder }) => holder !== undefined);
    const lent = held.filter(({ lockId, holder }) => lockId !== undefined && holder === KIM);
    return {
      holderOf: new Map(held.map(({ id, holder }) => [id, holder!])),
      lockOf: new Map(lent.map(({ id, lockId }) => [id, lockId!])),
      idsWithNodes: new Set(assets.filter(({ hasNodes }) => hasNodes).map(({ id }) => id)),
    };
  });

/** The facts after a loan. */
const lent = (there: Partial<LoanFacts>, lentIds: readonly string[]): Partial<LoanFacts> => ({
  ...there,
  lockOf: new Map([...there.lockOf!, ...ids(...lentIds).map((id) => [id, LOCK.id] as const)]),
});

describe('any loan in any situation', () => {
  it('of several assets ends as a loan of each in turn', () => {
    fc.assert(
      fc.property(assetIDs, situation, (assetIDs, there) => {
        let now = there;
        let end: End<{ lentIds: AssetId[] }> = { lentIds: [] };
        for (const [index, assetId] of assetIDs.entries()) {
          const next = loaned([assetId], now);
          if ('cause' in next) {
            end = { ...next, path: `assetIDs[${index}]` };
            break;
          }
          now = lent(now, next.lentIds);
          end = { lentIds: [...end.lentIds, ...next.lentIds] };
        }
        expect(loaned(assetIDs, there)).toEqual(end);
      }),
      { numRuns: 1_000 },
    );
  });

  it('that is repeated lends nothing more and is never refused', () => {
    fc.assert(
      fc.property(assetIDs, situation, (assetIDs, there) => {
        const end = loaned(assetIDs, there);
        if ('cause' in end) return;
        expect(loaned(assetIDs, lent(there, end.lentIds))).toEqual({ lentIds: [] });
      }),
      { numRuns: 500 },
    );
  });
});
