import { type AssetId, type Cause, type ConfigureAssets, type MemberId, Refusal } from '@lockstep/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ConfigurationFacts, planConfiguration } from './configuration.ts';

/** What M9 changes, and what it is refused for (rules 8). */

const KIM = '100001' as MemberId;
const LEE = '100002' as MemberId;

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
    isUsable: true,
    isBorrowedLock: kinds[assetNum] === 'borrowed lock',
  }));
  return {
    memberId: KIM,
    assets: new Map(assets.map((asset) => [asset.assetNum, asset])),
    elsewhere: new Set(numsOf('elsewhere')),
    holderOf: new Map(Object.entries(holders).map(([assetNum, holder]) => [idOf(assetNum), holder])),
  };
}

type End = { withdrawn: string[]; assigned: string[] } | { cause: Cause; path: string };

/** The result of Kim's M9: the numbers unassigned and assigned, or the refusal. */
function planned(wanted: ConfigureAssets, world: World): End {
  try {
    const { withdrawn, assigned } = planConfiguration(wanted, namedIn(world));
    const numsOf = (assets: typeof withdrawn) => assets.map(({ assetNum }) => assetNum);
    return { withdrawn: numsOf(withdrawn), assigned: numsOf(assigned) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { cause: error.reason, path: error.message.split(':')[0]! };
  }
}

/**
 * The same, computed number by number on a map of holders. The first number that cannot be changed gives the refusal.
 */
function onNotebook({ deleteAssets, addAssets }: ConfigureAssets, { kinds, holders }: World): End {
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

describe('whatever is wanted of whatever is there', () => {
  it('it ends as number by number on a notebook', () => {
    fc.assert(
      fc.property(wanted, world, (wanted, world) => {
        expect(planned(wanted, world)).toEqual(onNotebook(wanted, world));
      }),
      { numRuns: 2_000 },
    );
  });

  it('what was done can be undone', () => {
    fc.assert(
      fc.property(wanted, world, (wanted, world) => {
        const end = planned(wanted, world);
        if ('cause' in end) return;
        const holders = { ...world.holders };
        for (const assetNum of end.withdrawn) delete holders[assetNum];
        for (const assetNum of end.assigned) holders[assetNum] = KIM;
        const undo = { deleteAssets: end.assigned, addAssets: end.withdrawn };
        expect(planned(undo, { ...world, holders })).toEqual({ withdrawn: end.assigned, assigned: end.withdrawn });
      }),
      { numRuns: 500 },
    );
  });
});
