import { listVirtualAssets, setLocked, takeAssetNumbers } from '@lockstep/assets';
import {
  assetNumber,
  listAssetsParams,
  listAssetsQuery,
  lockAssetsBody,
  lockResult,
  success,
  takeAssetNumbersBody,
  virtualAsset,
} from '@lockstep/contract';
import { z } from 'zod';
import { authorize, callerOf } from '../caller.ts';
import { databaseOf, deadlineOf } from '../deadlines.ts';
import { answers, nonceQuery, orderOperation } from '../openapi.ts';
import type { Server, ServerOptions } from '../server.ts';

/** For calls that wait for what orders are changing. */
const LOCK_TIMEOUT_MS = 15_000;

/** O6 to O9: locks, virtual assets and asset numbers (interface.md; decisions 7). */
export async function assetRoutes(
  server: Server,
  { db, log, verifier, region, lockChanges }: ServerOptions,
): Promise<void> {
  const onRequest = authorize(verifier, 'auth_order');

  for (const { path, locked, operationId, summary } of [
    { path: '/asset/lock', locked: true, operationId: 'lockAssets', summary: 'O6: disable physical locks' },
    { path: '/asset/unlock', locked: false, operationId: 'unlockAssets', summary: 'O7: enable physical locks' },
  ]) {
    server.post(
      path,
      {
        schema: {
          ...orderOperation,
          operationId,
          summary,
          querystring: nonceQuery,
          body: lockAssetsBody,
          response: answers(z.array(lockResult)),
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
        summary: 'O8: list the virtual assets of an enterprise',
        params: listAssetsParams,
        querystring: nonceQuery.extend(listAssetsQuery.shape),
        response: answers(z.array(virtualAsset)),
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
        summary: 'O9: obtain asset number digit strings',
        querystring: nonceQuery,
        body: takeAssetNumbersBody,
        response: answers(z.array(assetNumber)),
      },
      onRequest,
    },
    async (request) => success(await takeAssetNumbers(databaseOf(request, db), region, request.body.size)),
  );
}
