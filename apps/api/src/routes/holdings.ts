import {
  assetContents,
  assetParams,
  borrowedLock,
  configureAssetsBody,
  enterpriseAsset,
  enterpriseParams,
  holderParams,
  lendAssetsBody,
  success,
} from '@lockstep/contract';
import { configureAssets, lendAssets, listAssets, listBorrowedLocks, readAssetContents } from '@lockstep/members';
import { z } from 'zod';
import { actorOf, authorizeAdministrator } from '../caller.ts';
import { databaseOf, deadlineOf } from '../deadlines.ts';
import { answers, memberOperation, nonceQuery } from '../openapi.ts';
import type { Server, ServerOptions } from '../server.ts';

/** For calls that wait for what orders are changing. */
export const HOLDING_TIMEOUT_MS = 15_000;

/** M6 to M10: what an enterprise has, and which employee holds it (interface.md; decisions 8). */
export async function holdingRoutes(server: Server, { db, verifier, holdingChanges }: ServerOptions): Promise<void> {
  const onRequest = authorizeAdministrator(verifier);
  const nothing = answers(z.null());

  server.get(
    '/enterprise/:enterpriseGlobalId/asset/assetNums',
    {
      schema: {
        ...memberOperation,
        operationId: 'listEnterpriseAssets',
        summary: 'M6: list the asset numbers of an enterprise',
        params: enterpriseParams,
        querystring: nonceQuery,
        response: answers(z.array(enterpriseAsset)),
      },
      onRequest,
    },
    async (request) => success(await listAssets(databaseOf(request, db), actorOf(request))),
  );

  server.get(
    '/enterprise/asset/:assetId/merchandiseProducts',
    {
      schema: {
        ...memberOperation,
        operationId: 'readAssetContents',
        summary: 'M7: products and merchandise under an asset',
        description: 'What is lent shows under the borrowed lock, and no longer under its own asset.',
        params: assetParams,
        querystring: nonceQuery,
        response: answers(assetContents),
      },
      onRequest,
    },
    async (request) =>
      success(await readAssetContents(databaseOf(request, db), actorOf(request), request.params.assetId)),
  );

  server.get(
    '/enterprise/:enterpriseGlobalId/asset/borrowUsbKeys',
    {
      schema: {
        ...memberOperation,
        operationId: 'listBorrowedLocks',
        summary: 'M8: list the borrowed locks of an enterprise',
        params: enterpriseParams,
        querystring: nonceQuery,
        response: answers(z.array(borrowedLock)),
      },
      onRequest,
    },
    async (request) => success(await listBorrowedLocks(databaseOf(request, db), actorOf(request))),
  );

  server.post(
    '/enterprise/member/:memberGlobalId/privileges',
    {
      schema: {
        ...memberOperation,
        operationId: 'configureAssets',
        summary: 'M9: withdraw and assign assets of an employee',
        description: 'All of it or nothing, withdrawals first. What is withdrawn is not lent any more.',
        params: holderParams,
        querystring: nonceQuery,
        body: configureAssetsBody,
        response: nothing,
      },
      onRequest,
      config: { timeoutMs: HOLDING_TIMEOUT_MS },
    },
    async (request) => {
      const tools = { changes: holdingChanges, deadline: deadlineOf(request) };
      await configureAssets(tools, actorOf(request), request.params.memberGlobalId, request.body);
      return success(null);
    },
  );

  server.post(
    '/enterprise/member/:memberGlobalId/borrow',
    {
      schema: {
        ...memberOperation,
        operationId: 'lendAssets',
        summary: 'M10: lend assets of an employee into a borrowed lock',
        description: 'All of them or none. The same again changes nothing; M9 or M4 ends it.',
        params: holderParams,
        querystring: nonceQuery,
        body: lendAssetsBody,
        response: nothing,
      },
      onRequest,
      config: { timeoutMs: HOLDING_TIMEOUT_MS },
    },
    async (request) => {
      const tools = { changes: holdingChanges, deadline: deadlineOf(request) };
      await lendAssets(tools, actorOf(request), request.params.memberGlobalId, request.body);
      return success(null);
    },
  );
}
