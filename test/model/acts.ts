import { type AssetValue, isActive, productsOn } from './ledger-value.ts';

/** What M9 asks for one employee. */
interface Entry {
  member: string;
  remove: string[];
  add: string[];
}

/** A call that changes locks or holdings, or the erasure of a contact. It names everything by labels, or by ids. */
export type Act =
  | { type: 'lock' | 'unlock' | 'freeze' | 'unfreeze'; sender: string; assetNums: string[] }
  /** M9 of one entry; of more, a call for many. */
  | { type: 'configure'; enterprise: string; by: string; entries: Entry[] }
  | { type: 'lend'; enterprise: string; by: string; member: string; lock: string; assetNums: string[] }
  | { type: 'erase'; customer: string };

/** An assignment, or with a lock a loan. Assets are indexes. `ended`: the order or administrator, and why. */
export interface HoldingValue {
  asset: number;
  lock: number | null;
  member: string;
  began: string;
  ended: (Ender & { cause: string }) | null;
}

interface Ender {
  order: string | null;
  by: string | null;
}

/** What acts read and change. */
export interface Held {
  assets: AssetValue[];
  holdings: HoldingValue[];
}

/** Makes an act or an entry be refused. Its message is the cause. */
class Refused extends Error {}

function demand(holds: boolean, cause: string): asserts holds {
  if (!holds) throw new Refused(cause);
}

const LOCKS = ['normal_recover_usbkey', 'normal_recover_lan_usbkey', 'lk_product_usbkey', 'lk_auth_usbkey'];
const CERTIFICATES = ['softkey', 'lan_softkey'];

/** "Status 1: done, or already so. 2: no active asset." "4: a license type other than" those (rules 7 O6 and O7). */
export function stop(asset: AssetValue | undefined, type: string): number {
  if (asset === undefined) return 2;
  const isLock = type === 'lock' || type === 'unlock';
  if (!(isLock ? LOCKS : CERTIFICATES).includes(asset.licenseType)) return 4;
  asset.stopped = type === 'lock' ? 'locked' : type === 'freeze' ? 'frozen' : null;
  return 1;
}

/** The rules of M9 and M10 for an administrator (rules 8). `enterpriseOf`: of assets and employees. */
export class Administrator {
  readonly #held: Held;
  readonly #by: string;
  readonly #isOwn: (owner: string) => boolean;

  constructor(held: Held, by: string, isOwn: (owner: string) => boolean) {
    this.#held = held;
    this.#by = by;
    this.#isOwn = isOwn;
  }

  /** "each as an M9 of its employee, alone, after those before it". Returns the cause of each entry. */
  configureAll(entries: readonly Entry[]): (string | null)[] {
    const { holdings } = this.#held;
    const count = holdings.length;
    const causes = entries.map((entry) => this.#try(() => this.#configure(entry)));
    // What begins and ends in one call was never there.
    holdings.splice(count, Infinity, ...holdings.slice(count).filter(({ ended }) => ended === null));
    return causes;
  }

  /** "Checks the employee (60026), then withdrawals, then assignments, each seeing the ones before." */
  #configure({ member, remove, add }: Entry): void {
    demand(this.#isOwn(member), 'employee_not_matched');
    for (const assetNum of remove) {
      const asset = this.#find(assetNum);
      demand(asset !== undefined && this.#holderOf(asset) === member, 'asset_not_withdrawable');
      release(this.#held.holdings, asset, { order: null, by: this.#by });
    }
    for (const assetNum of add) {
      const asset = this.#find(assetNum);
      demand(asset !== undefined && !this.#held.assets[asset]!.borrowed, 'asset_number_not_found');
      demand(this.#holderOf(asset) === undefined, 'asset_configured_twice');
      demand(this.#held.assets[asset]!.stopped !== 'frozen', 'asset_frozen');
      this.#begin({ asset, lock: null, member });
    }
  }

  /** "Checks the employee (60026), the lock, then the assets." Returns the cause. */
  lend({ member, lock: lockNum, assetNums }: Act & { type: 'lend' }): string | null {
    const { assets, holdings } = this.#held;
    return this.#try(() => {
      demand(this.#isOwn(member), 'employee_not_matched');
      // "an active borrowed lock, neither locked nor frozen (33008), not lent to another employee (33018)"
      const lock = this.#findActive(lockNum);
      const isUsable = lock !== undefined && assets[lock]!.borrowed && assets[lock]!.stopped === null;
      demand(isUsable && this.#isOwn(assets[lock]!.customer), 'borrowed_lock_unusable');
      const others = holdings.filter((each) => each.ended === null && each.lock === lock && each.member !== member);
      demand(others.length === 0, 'borrowed_lock_taken');
      // "Each asset is the employee's (33003), not lent into another lock (33007), not frozen (33003 too), with an
      // active product with `limitConcurrent` of 1 or more (33006)."
      for (const assetNum of assetNums) {
        const asset = this.#findActive(assetNum);
        demand(asset !== undefined && this.#holderOf(asset) === member, 'asset_not_held');
        const loan = holdings.find((each) => each.ended === null && each.asset === asset && each.lock !== null);
        if (loan?.lock === lock) continue;
        demand(loan === undefined, 'asset_lent_elsewhere');
        demand(assets[asset]!.stopped !== 'frozen', 'asset_frozen_not_lent');
        const products = productsOn(assets[asset]!).filter(isActive);
        demand(
          products.some(({ concurrent }) => concurrent >= 1),
          'asset_without_nodes',
        );
        this.#begin({ asset, lock, member });
      }
    });
  }

  #begin(holding: Pick<HoldingValue, 'asset' | 'lock' | 'member'>): void {
    this.#held.holdings.push({ ...holding, began: this.#by, ended: null });
  }

  /** "Atomic": a refusal leaves the holdings as they were. */
  #try(work: () => void): string | null {
    const before = this.#held.holdings.map((each) => ({ ...each }));
    try {
      work();
      return null;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.#held.holdings.splice(0, Infinity, ...before);
      return error.message;
    }
  }

  #findActive(assetNum: string): number | undefined {
    const index = this.#held.assets.findIndex((asset) => isActive(asset) && asset.assetNum === assetNum);
    return index === -1 ? undefined : index;
  }

  /** Returns the enterprise's asset. "Another enterprise's number: 60025." */
  #find(assetNum: string): number | undefined {
    const asset = this.#findActive(assetNum);
    const isOfOther = asset !== undefined && !this.#isOwn(this.#held.assets[asset]!.customer);
    demand(!isOfOther, 'asset_of_other_enterprise');
    return asset;
  }

  #holderOf(asset: number): string | undefined {
    return this.#held.holdings.find((each) => each.ended === null && each.asset === asset)?.member;
  }
}

/** Ends the assignment and the loan of an asset, and loans into it (rules 8 Ends). */
export function release(holdings: HoldingValue[], asset: number, by: Ender): void {
  for (const each of holdings) {
    const isOwn = each.asset === asset;
    // An order that releases both the lock and the asset is one of the asset.
    const isUpgraded = isOwn && by.order !== null && each.ended?.order === by.order;
    if ((isOwn || each.lock === asset) && (each.ended === null || isUpgraded))
      each.ended = { ...by, cause: by.order === null ? 'withdrawn' : isOwn ? 'order' : 'lock' };
  }
}
