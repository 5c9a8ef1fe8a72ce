import { success } from '@lockstep/contract';
import { configureAssets, lendAssets, listAssets, listBorrowedLocks, readAssetContents } from '@lockstep/members';
import type { FastifyRequest } from 'fastify';
import type { MemberHandlers } from '../operation-routes.ts';
import type { ServerOptions } from '../server-options.ts';

/** M6 to M10: what an enterprise has, and which employee holds it (rules 8). */
export function holdingHandlers({ holdingChanges }: ServerOptions) {
  const changeTools = (request: FastifyRequest) => ({ changes: holdingChanges, deadline: request.deadline });

  return {
    listEnterpriseAssets: async (request, actor) => success(await listAssets(request.db, actor)),

    readAssetContents: async (request, actor) =>
      success(await readAssetContents(request.db, actor, request.params.assetId)),

    listBorrowedLocks: async (request, actor) => success(await listBorrowedLocks(request.db, actor)),

    configureAssets: async (request, actor) => {
      await configureAssets(changeTools(request), actor, request.params.memberGlobalId, request.body);
      return success(null);
    },

    lendAssets: async (request, actor) => {
      await lendAssets(changeTools(request), actor, request.params.memberGlobalId, request.body);
      return success(null);
    },
  } satisfies MemberHandlers;
}
