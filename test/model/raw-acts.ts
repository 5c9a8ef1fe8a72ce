import fc from 'fast-check';
import type { Act } from './acts.ts';
import { ADMINISTRATORS, CUSTOMERS, EMPLOYEES, type Sender } from './history.ts';
import { type AssetValue, isActive } from './ledger-value.ts';
import type { Model } from './model.ts';

/** An act whose references are small integers, valid at any position. */
export interface RawAct {
  type: 'act';
  kind: 'stop' | 'configure' | 'lend' | 'erase';
  sender: Sender;
  isUndone: boolean;
  /** Whether it aims at anything, not only at what it can work on. */
  isOdd: boolean;
  entries: { member: number; remove: number[]; add: number[] }[];
}

const picks = (maxLength: number) => fc.array(fc.nat(7), { maxLength });

export const rawAct: fc.Arbitrary<RawAct> = fc.record({
  type: fc.constant('act' as const),
  kind: fc.constantFrom(...(['configure', 'configure', 'lend', 'lend', 'stop', 'erase'] as const)),
  sender: fc.constantFrom<Sender>('S1', 'S1', 'S2', 'S3'),
  isUndone: fc.constantFrom(false, false, true),
  isOdd: fc.constantFrom(false, false, false, true),
  entries: fc.array(fc.record({ member: fc.nat(4), remove: picks(1), add: picks(3) }), { minLength: 1, maxLength: 3 }),
});

const EMPLOYED = Object.entries(EMPLOYEES);
const enterpriseOf = ({ customer }: AssetValue) => CUSTOMERS[customer as keyof typeof CUSTOMERS].enterprise;

/** Resolves an act. The model, whose ids are labels, knows what it can work on. */
export function actOf({ kind, sender, isUndone, isOdd, entries }: RawAct, model: Model): Act {
  const active = model.assets.filter(isActive);
  const current = model.holdings.filter(({ ended }) => ended === null);
  const chosen = (assets: AssetValue[], numbers: number[]) => {
    const candidates = isOdd ? active : assets;
    return numbers.map((pick) => candidates[pick % candidates.length]?.assetNum ?? `X${pick}`);
  };
  const heldBy = (member: string) =>
    current.flatMap((each) => (each.member === member && each.lock === null ? [model.assets[each.asset]!] : []));
  const { member: pick, add } = entries[0]!;
  const some = [...new Set([pick, ...add])];
  const heldNow = current.map(({ asset }) => model.assets[asset]!);
  if (kind === 'erase') return { type: 'erase', customer: `C${1 + pick}` };
  if (kind === 'stop') {
    const stopped = active.filter((asset) => asset.stopped !== null);
    const aims = isUndone ? stopped : heldNow;
    const assetNums = chosen(aims.length > 0 ? aims : active, some);
    const isSoft = active.find(({ assetNum }) => assetNum === assetNums[0])?.licenseType === 'softkey';
    const type = isSoft !== isOdd ? (['freeze', 'unfreeze'] as const) : (['lock', 'unlock'] as const);
    return { type: type[Number(isUndone)]!, sender, assetNums };
  }
  const locksOf = (enterprise: string) => active.filter((each) => each.borrowed && enterpriseOf(each) === enterprise);
  const holders = EMPLOYED.filter(
    (each) => kind === 'lend' && heldBy(each[0]).length > 0 && locksOf(each[1]).length > 0,
  );
  const [first, enterprise] = (holders.length > 0 ? holders : EMPLOYED)[pick % (holders.length || EMPLOYED.length)]!;
  const by = ADMINISTRATORS[enterprise];
  const own = active.filter((asset) => enterpriseOf(asset) === enterprise);
  // As long as no loan is possible, assigns.
  if (kind === 'lend' && (isOdd || holders.length > 0)) {
    return {
      ...{ type: 'lend', enterprise, by, member: first },
      lock: chosen(locksOf(enterprise), [pick])[0]!,
      assetNums: [...new Set(chosen(heldBy(first), some))],
    };
  }
  const colleagues = EMPLOYED.filter((each) => isOdd || each[1] === enterprise).map(([member]) => member);
  const held = new Set(heldNow);
  const free = own.filter((asset) => !asset.borrowed && !held.has(asset));
  return {
    ...{ type: 'configure', enterprise, by },
    entries: entries.map(({ member: other, remove, add }, index) => {
      const member = index === 0 ? first : colleagues[other % colleagues.length]!;
      const added = chosen(free, add);
      return { member, remove: chosen(heldBy(member), remove), add: isOdd ? added : [...new Set(added)] };
    }),
  };
}
