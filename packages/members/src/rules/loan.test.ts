import { type AssetId, type Cause, type MemberId, Refusal } from '@lockstep/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AssetFacts } from './configuration.ts';
import { type LoanFacts, planLoan } from './loan.ts';

/** What M10 lends into a borrowed lock, and what it is refused for (rules 8). */

const KIM = '100001' as MemberId;
const LEE = '100002' as MemberId;
const LOCK: AssetFacts = { id: '9' as AssetId, assetNum: 'LOCK', isBorrowedLock: true, isUsable: true };
const OTHER_LOCK_ID = '8' as AssetId;

const ids = (...texts: string[]) => texts as AssetId[];

/** Kim has 1 to 5, with nodes on all but 3; 4 is lent into this lock, 5 into another one. Lee has 6. */
const SITUATION: LoanFacts = {
  memberId: KIM,
  lock: LOCK,
  lockHolderIds: new Set([KIM]),
  holderOf: new Map(ids('1', '2', '3', '4', '5', '6').map((id) => [id, id === '6' ? LEE : KIM])),
  lockOf: new Map(ids('4', '5').map((id) => [id, id === '4' ? LOCK.id : OTHER_LOCK_ID])),
  idsWithNodes: new Set(ids('1', '2', '4', '5', '6')),
};

type End = { lentIds: string[] } | { cause: Cause; path: string };

/** The ids that Kim's M10 lends, or the refusal. */
function planned(assetIDs: string[], changes: Partial<LoanFacts> = {}): End {
  try {
    const { lock, lentIds } = planLoan(
      { borrowedUsbKey: 'LOCK', assetIDs: ids(...assetIDs) },
      { ...SITUATION, ...changes },
    );
    expect(lock).toBe(LOCK);
    return { lentIds };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { cause: error.reason, path: error.message.split(':')[0]! };
  }
}

describe('a loan', () => {
  it('that was made before is a no-op, even if the asset has no node left', () => {
    expect(planned(['4'], { idsWithNodes: new Set() })).toEqual({ lentIds: [] });
  });

  it('of an asset with several faults is refused for the first: not held, lent elsewhere, without nodes', () => {
    const nodeless = { idsWithNodes: new Set<AssetId>() };
    expect(planned(['6'], nodeless)).toMatchObject({ cause: 'asset_not_held' });
    expect(planned(['5'], nodeless)).toMatchObject({ cause: 'asset_lent_elsewhere' });
  });

  it('of several assets with faults is refused for that of the first asset', () => {
    expect(planned(['3', '5', '6'])).toMatchObject({ cause: 'asset_without_nodes', path: 'assetIDs[0]' });
    expect(planned(['1', '6', '5'])).toMatchObject({ cause: 'asset_not_held', path: 'assetIDs[1]' });
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
        let end: End = { lentIds: [] };
        for (const [index, assetId] of assetIDs.entries()) {
          const next = planned([assetId], now);
          if ('cause' in next) {
            end = { ...next, path: `assetIDs[${index}]` };
            break;
          }
          now = lent(now, next.lentIds);
          end = { lentIds: [...end.lentIds, ...next.lentIds] };
        }
        expect(planned(assetIDs, there)).toEqual(end);
      }),
      { numRuns: 1_000 },
    );
  });

  it('that is repeated lends nothing more and is never refused', () => {
    fc.assert(
      fc.property(assetIDs, situation, (assetIDs, there) => {
        const end = planned(assetIDs, there);
        if ('cause' in end) return;
        expect(planned(assetIDs, lent(there, end.lentIds))).toEqual({ lentIds: [] });
      }),
      { numRuns: 500 },
    );
  });
});
