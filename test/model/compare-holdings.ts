import { CustomerPage, HoldingPage } from '@lockstep/contract';
import { dataOf, readPages } from '../harness/api.ts';
import { expectSame } from './expect-same.ts';
import type { Model } from './model.ts';
import type { Place } from './world.ts';

/** Returns the holdings of both enterprises, as listHoldings lists them page by page, oldest first. */
export async function readHoldings({ centers }: Place): Promise<string[][]> {
  return await Promise.all(
    centers.map(async (center) => {
      const pages = await readPages(async (cursor) =>
        HoldingPage.parse(dataOf(await center.ask('listHoldings', {}, { query: { limit: '7', cursor } }))),
      );
      const holdings = pages.flatMap((page) => page.holdings);
      return holdings
        .map(({ assetNum, lockAssetNum, memberGlobalId, beganBy, licenseOrderId, endedByGlobalId, endCause }) => {
          const ended = endCause === null ? null : [licenseOrderId, endedByGlobalId, endCause];
          return JSON.stringify([assetNum, lockAssetNum, memberGlobalId, beganBy, ended]);
        })
        .sort();
    }),
  );
}

/** Returns the holdings of both enterprises that the model expects, comparable with `readHoldings`. */
export function expectedHoldings({ centers }: Place, { holdings, assets }: Model): string[][] {
  return centers.map(({ adminId }) =>
    holdings
      .filter(({ began }) => began === adminId)
      .map(({ asset, lock, member, began, ended }) => {
        const lockNum = lock === null ? null : assets[lock]!.assetNum;
        return JSON.stringify([
          assets[asset]!.assetNum,
          lockNum,
          member,
          began,
          ended && [ended.order, ended.by, ended.cause],
        ]);
      })
      .sort(),
  );
}

/** Throws if who has or had an asset, or who buys for a customer, differs from the model. */
export async function compareHoldings(place: Place, model: Model): Promise<void> {
  expectSame('the holdings', (await readHoldings(place)).flat(), expectedHoldings(place, model).flat());
  const { apis, world } = place;
  const pages = await Promise.all(
    Object.values(world.channelCodes).map(async (channelCode) => {
      return CustomerPage.parse(dataOf(await apis.S1.ask('listCustomers', { query: { channelCode } })));
    }),
  );
  const contacts = pages.flatMap(({ customers }) =>
    customers.flatMap(({ customerId, contact }) =>
      contact === null ? [] : [[customerId, contact.licenseOrderId, contact.branchName]],
    ),
  );
  const expected = Object.entries(model.contacts).map(([id, { order, branchName }]) => [id, order, branchName]);
  expectSame('the contacts', contacts.sort(), expected.sort());
}
