import { readApplications } from '@lockstep/access/operator';
import { splitOrderId } from '@lockstep/assets';
import {
  type AssetPlace,
  type ContentsPlace,
  findAssetOfNumber,
  listAssetsOfAll,
  listContents,
  readHistoryOfAll,
} from '@lockstep/assets/operator';
import type { AssetId, CustomerId } from '@lockstep/contract';
import { ConsoleRefusal, type Owner } from '@lockstep/contract/console';
import { readOwners } from '@lockstep/customers/operator';
import { readHolders } from '@lockstep/members/operator';
import { type Database, isId, ListCursor } from '@lockstep/platform';
import type { ServerOptions } from '../../options.ts';
import { hidePersonal } from '../hidden-fields.ts';
import type { ConsoleHandlers } from '../operations.ts';
import { partyOf } from '../who-acts.ts';

const isKind = (text: string): text is ContentsPlace['kind'] => text === 'merchandise' || text === 'product';

/** Handlers for assets of all channels, with their contents and history. */
export function assetsHandlers({ reads }: ServerOptions) {
  return {
    listAssets: async (request) => {
      const { limit, cursor, ...wanted } = request.query;
      const { assetNum, customerId, enterpriseGlobalId: enterpriseId, state } = wanted;
      const places = new ListCursor(['console', 'assets', wanted], cursor, [isId, isId]);
      const after: AssetPlace | null = places.after && {
        customerId: places.after[0] as CustomerId,
        assetId: places.after[1] as AssetId,
      };
      const filters = { assetNum, customerId, enterpriseId, state };
      const { assets, stop } = await listAssetsOfAll(request.db, filters, { after, limit });
      const nameOwner = await readOwnerNames(
        request.db,
        assets.map((asset) => asset.customerId),
      );
      return {
        assets: assets.map(({ customerId, ...asset }) => ({ ...asset, owner: nameOwner(customerId) })),
        nextCursor: places.write(stop && [stop.customerId, stop.assetId]),
      };
    },

    getAsset: async (request) => {
      const { assetNum } = request.params;
      const found = await findAssetOfNumber(request.db, assetNum);
      if (found === undefined) throw new ConsoleRefusal('not_found', 'asset', assetNum);
      const { active, earlier, hasMoreEarlier } = found;
      const customerIds = [...(active === null ? [] : [active]), ...earlier].map(({ customerId }) => customerId);
      const nameOwner = await readOwnerNames(request.db, customerIds);
      const held = active === null ? [] : [active.holder, ...active.lentHere];
      const memberIds = held.flatMap((each) => (each === null || each.memberId === null ? [] : [each.memberId]));
      const holders = await readHolders(request.db, memberIds);
      const nameActive = (asset: NonNullable<typeof active>) => {
        const { customerId, holder, lentHere, ...rest } = asset;
        const named = holder && holders.get(holder.memberId);
        return {
          ...rest,
          owner: nameOwner(customerId),
          holder: holder && named ? { ...named, since: holder.since } : null,
          lentHere: lentHere.map(({ memberId, ...lent }) => ({
            ...lent,
            holder: (memberId !== null && holders.get(memberId)) || null,
          })),
        };
      };
      return {
        assetNum,
        active: active && nameActive(active),
        earlier: earlier.map(({ customerId, ...asset }) => ({ ...asset, owner: nameOwner(customerId) })),
        hasMoreEarlier,
      };
    },

    getAssetContents: async (request, operator) => {
      const { assetNum } = request.params;
      const { limit, cursor } = request.query;
      const places = new ListCursor(['console', 'assetContents', { assetNum }], cursor, [isKind, isId]);
      const after = places.after && { kind: places.after[0] as ContentsPlace['kind'], id: places.after[1]! };
      const list = () => listContents(request.db, assetNum, { after, limit });
      const found = await reads.run(partyOf(operator), request.deadline.signal, list);
      if (found === null) throw new ConsoleRefusal('not_found', 'active asset', assetNum);
      return { instances: found.instances, nextCursor: places.write(found.stop && [found.stop.kind, found.stop.id]) };
    },

    getAssetHistory: async (request, operator) => {
      const { assetNum } = request.params;
      const read = () => readHistoryOfAll(request.db, assetNum, request.query);
      const history = await reads.run(partyOf(operator), request.deadline.signal, read);
      if (history === null) throw new ConsoleRefusal('not_found', 'asset', assetNum);
      const { entries, nextCursor } = history;
      const customerIds = entries.flatMap(({ customerId, fromCustomerId }) => [customerId, fromCustomerId]);
      const owners = await readOwners(
        request.db,
        customerIds.filter((id) => id !== null),
      );
      const applications = await readApplications(
        request.db,
        entries.flatMap(({ applicationId }) => (applicationId === null ? [] : [applicationId])),
      );
      return {
        entries: entries.map(({ applicationId, fromCustomerId, ...entry }) => {
          const application = applicationId === null ? undefined : applications.get(applicationId);
          return {
            ...hidePersonal(operator, entry),
            batchId: entry.licenseOrderId && splitOrderId(entry.licenseOrderId).batchId,
            applicationName: application?.name ?? null,
            appKey: application?.appKey ?? null,
            customer: (entry.customerId !== null && owners.get(entry.customerId)) || null,
            fromCustomer: (fromCustomerId !== null && owners.get(fromCustomerId)) || null,
          };
        }),
        nextCursor,
      };
    },
  } satisfies ConsoleHandlers;
}

/** Reads the owners of assets. A constraint of the database ensures that each asset has a customer. */
async function readOwnerNames(db: Database, customerIds: CustomerId[]): Promise<(customerId: CustomerId) => Owner> {
  const owners = await readOwners(db, customerIds);
  return (customerId) => {
    const owner = owners.get(customerId);
    if (owner === undefined) throw new Error(`customer ${customerId} owns an asset but does not exist`);
    return owner;
  };
}
