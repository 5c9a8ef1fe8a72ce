import { listVirtualAssets, setLocked, takeAssetNumbers } from '@lockstep/assets';
import {
  AssetNumber,
  ChangeLocks,
  ListAssetsParams,
  ListAssetsQuery,
  LockResult,
  success,
  TakeAssetNumbers,
  VirtualAsset,
} from '@lockstep/contract';
import { z } from 'zod';
import { authorize, callerOf } from '../caller.ts';
import { databaseOf, deadlineOf } from '../deadlines.ts';
import { answers, nonceQuery, orderOperation } from '../openapi.ts';
import type { Server, ServerOptions } from '../server.ts';

/** For calls that wait for what orders are changing. */
const LOCK_TIMEOUT_MS = 15_000;

/** What O6 and O7 have in common. */
const LOCKING =
  'Look at every `status`: the code is 0 whatever they are. Locks that can be disabled are those of license type ' +
  '`normal_recover_usbkey`, `normal_recover_lan_usbkey`, `lk_product_usbkey` and `lk_auth_usbkey`. Orders do not ask ' +
  'whether a lock is disabled.';

/** O6 to O9: locks, virtual assets and asset numbers (interface.md; decisions 7). */
export async function assetRoutes(
  server: Server,
  { db, log, verifier, region, lockChanges }: ServerOptions,
): Promise<void> {
  const onRequest = authorize(verifier, 'auth_order');

  for (const { path, locked, operationId, summary, description } of [
    {
      path: '/asset/lock',
      locked: true,
      operationId: 'lockAssets',
      summary: 'O6: disable locks',
      description: `Disables locks, 1 to 1,000 numbers a call. ${LOCKING}`,
    },
    {
      path: '/asset/unlock',
      locked: false,
      operationId: 'unlockAssets',
      summary: 'O7: enable locks',
      description: `Enables locks, 1 to 1,000 numbers a call. ${LOCKING}`,
    },
  ]) {
    server.post(
      path,
      {
        schema: {
          ...orderOperation,
          operationId,
          summary,
          description,
          querystring: nonceQuery,
          body: ChangeLocks,
          response: answers(z.array(LockResult).describe('One entry for each number, in the order sent.')),
        },
        onRequest,
        config: { timeoutMs: LOCK_TIMEOUT_MS },
      },
      async (request) => {
        const { applicationId, channels } = callerOf(request);
        const tools = {
          changes: lockChanges,
          deadline: deadlineOf(request),
          log: log.child({ requestId: request.id }),
        };
        const by = { applicationId, channels, requestId: request.id };
        return success(await setLocked(tools, { ...request.body, locked, ...by }));
      },
    );
  }

  server.get(
    '/asset/:enterpriseGlobalId/list',
    {
      schema: {
        ...orderOperation,
        operationId: 'listVirtualAssets',
        summary: 'O8: list virtual assets',
        description:
          "Lists the active assets of the enterprise's customers with license type `cloud_customer`, " +
          'oldest first; with `extendCode` only those that carry this extended attribute.',
        params: ListAssetsParams,
        querystring: nonceQuery.extend(ListAssetsQuery.shape),
        response: answers(z.array(VirtualAsset).describe('The assets, oldest first.')),
      },
      onRequest,
    },
    async (request) => {
      const { enterpriseGlobalId: enterpriseId } = request.params;
      const of = { enterpriseId, extendCode: request.query.extendCode };
      return success(await listVirtualAssets(databaseOf(request, db), callerOf(request).channels, of));
    },
  );

  server.post(
    '/shellnums',
    {
      schema: {
        ...orderOperation,
        operationId: 'takeAssetNumbers',
        summary: 'O9: obtain asset numbers',
        description:
          'Hands out 1 to 10,000 asset numbers of ten digits: the mark of the region, 8 or 6, and nine ' +
          "digits that increment. No number is handed out twice, and none that is an active asset's. There may be gaps.",
        querystring: nonceQuery,
        body: TakeAssetNumbers,
        response: answers(z.array(AssetNumber).describe('The numbers.')),
      },
      onRequest,
    },
    async (request) => success(await takeAssetNumbers(databaseOf(request, db), region, request.body.size)),
  );
}
