import { readApplications } from '@lockstep/access/operator';
import { listAssets, readAssetHistory, splitOrderId } from '@lockstep/assets';
import { countExpiring, findAssetOfNumber, listContents, showToldEntry } from '@lockstep/assets/operator';
import { readOwners } from '@lockstep/customers/operator';
import { readEmployees } from '@lockstep/members/operator';
import { readSenderNames } from '@lockstep/orders';
import type { Services } from '../../services.ts';
import { hidePersonal, hideReasons } from '../hidden-fields.ts';
import { type ConsoleHandlers, existing } from '../operations.ts';
import { partyOf } from '../who-acts.ts';

/** Handlers for assets of the channels that an operator sees, with their contents and history. */
export function assetsHandlers({ reads }: Services) {
  return {
    listAssets: async (request, operator) => {
      const list = () => listAssets(request.db, operator, request.query);
      const { assets, nextCursor } = await reads.run(partyOf(operator), request.deadline.signal, list);
      const holderIds = assets.map(({ memberGlobalId }) => memberGlobalId);
      const holders = await readEmployees(request.db, holderIds);
      const revokerIds = assets.flatMap(({ revokedByOrderId }) => revokedByOrderId ?? []);
      const senders = await readSenderNames(request.db, operator, revokerIds);
      return {
        assets: assets.map((asset) => ({
          ...hideReasons(operator, asset),
          memberAccount: holders.get(asset.memberGlobalId)?.account ?? null,
          memberName: holders.get(asset.memberGlobalId)?.name ?? null,
          revokedByApplication: (asset.revokedByOrderId && senders.get(asset.revokedByOrderId)) ?? null,
        })),
        nextCursor,
      };
    },

    getExpiring: async (request, operator) =>
      reads.run(partyOf(operator), request.deadline.signal, () => countExpiring(request.db, operator, request.query)),

    getAsset: async (request, operator) => {
      const { assetNum } = request.params;
      const asset = existing('asset', assetNum, await findAssetOfNumber(request.db, operator, assetNum));
      return { ...asset, active: asset.active && hideReasons(operator, asset.active) };
    },

    getAssetContents: async (request, operator) => {
      const { assetNum } = request.params;
      const list = () => listContents(request.db, operator, assetNum, request.query);
      const found = await reads.run(partyOf(operator), request.deadline.signal, list);
      return existing('active_asset', assetNum, found);
    },

    getAssetHistory: async (request, operator) => {
      const { assetNum } = request.params;
      const read = () => readAssetHistory(request.db, operator, assetNum, request.query, showToldEntry);
      const found = await reads.run(partyOf(operator), request.deadline.signal, read);
      const { entries, nextCursor } = existing('asset', assetNum, found);
      const customerIds = entries.flatMap(({ customerId, fromCustomerId }) => [customerId, fromCustomerId]);
      const owners = await readOwners(request.db, operator, customerIds);
      const applicationIds = entries.map(({ applicationId }) => applicationId);
      const applications = await readApplications(request.db, applicationIds);
      const memberIds = entries.flatMap((entry) => [entry.memberGlobalId, entry.administratorGlobalId]);
      const employees = await readEmployees(request.db, memberIds);
      return {
        entries: entries.map(({ applicationId, fromCustomerId, ...entry }) => {
          const application = applications.get(applicationId);
          return {
            ...hidePersonal(operator, entry),
            batchId: entry.licenseOrderId && splitOrderId(entry.licenseOrderId).batchId,
            applicationName: application?.name ?? null,
            appKey: application?.appKey ?? null,
            member: employees.get(entry.memberGlobalId) ?? null,
            administrator: employees.get(entry.administratorGlobalId) ?? null,
            customer: owners.get(entry.customerId) ?? null,
            fromCustomer: owners.get(fromCustomerId) ?? null,
          };
        }),
        nextCursor,
      };
    },
  } satisfies ConsoleHandlers;
}
