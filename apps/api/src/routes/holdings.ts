import {
  AssetContents,
  AssetParams,
  BorrowedLock,
  ConfigureAssets,
  EnterpriseAsset,
  EnterpriseParams,
  HolderParams,
  LendAssets,
  success,
} from '@lockstep/contract';
import { configureAssets, lendAssets, listAssets, listBorrowedLocks, readAssetContents } from '@lockstep/members';
import { z } from 'zod';
import { actorOf, authorizeAdministrator } from '../caller.ts';
import { databaseOf, deadlineOf } from '../deadlines.ts';
import { answers, doneWithNullAnswers, memberOperation, nonceQuery } from '../openapi.ts';
import type { Server, ServerOptions } from '../server.ts';

/** For calls that wait for what orders are changing. */
export const HOLDING_TIMEOUT_MS = 15_000;

/** M6 to M10: what an enterprise has, and which employee holds it (interface.md; decisions 8). */
export async function holdingRoutes(server: Server, { db, verifier, holdingChanges }: ServerOptions): Promise<void> {
  const onRequest = authorizeAdministrator(verifier);

  server.get(
    '/enterprise/:enterpriseGlobalId/asset/assetNums',
    {
      schema: {
        ...memberOperation,
        operationId: 'listEnterpriseAssets',
        summary: 'M6: list asset numbers',
        description:
          "Lists all active assets of the enterprise's customers that are not borrowed locks, oldest first " +
          'and in one answer, with `assetId`, which M7 and M10 want.',
        params: EnterpriseParams,
        querystring: nonceQuery,
        response: answers(z.array(EnterpriseAsset).describe('The assets, oldest first.')),
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
        description:
          'Shows what is active on an asset or a borrowed lock, in the order in which it was bought: ' +
          'products, and merchandise with what is nested in it. Of a lent asset there is nothing: the lock ' +
          'has its own and that of all assets that are lent into it.',
        params: AssetParams,
        querystring: nonceQuery,
        response: answers(AssetContents),
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
        summary: 'M8: list borrowed locks',
        description:
          'Lists the active borrowed locks of the enterprise, oldest first. Where assets are lent into ' +
          'one, `borrowedFlag` is true and `cloudAccountGlobalId` the employee who holds them.',
        params: EnterpriseParams,
        querystring: nonceQuery,
        response: answers(z.array(BorrowedLock).describe('The borrowed locks, oldest first.')),
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
        summary: 'M9: configure assets',
        description:
          'Withdraws asset numbers from an employee, then assigns others: all of it or, at the first ' +
          'fault, nothing. What is withdrawn is not lent any more.',
        params: HolderParams,
        querystring: nonceQuery,
        body: ConfigureAssets,
        response: doneWithNullAnswers,
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
        summary: 'M10: lend assets',
        description:
          'Lends assets that an employee holds into a borrowed lock: all of them or, at the first fault, ' +
          'none. The same call again succeeds and changes nothing. M9 or M4 ends a lending.',
        params: HolderParams,
        querystring: nonceQuery,
        body: LendAssets,
        response: doneWithNullAnswers,
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
