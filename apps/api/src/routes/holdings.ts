import { success } from '@lockstep/contract';
import { configureAssets, lendAssets, listAssets, listBorrowedLocks, readAssetContents } from '@lockstep/members';
import type { FastifyRequest } from 'fastify';
import type { MemberHandlers } from '../calls/operation-routes.ts';
import { writeJsonPieces } from '../connections/json-pieces.ts';
import { answerInPieces } from '../connections/slow-readers.ts';
import type { ServerOptions } from '../options.ts';

/** M6 to M10: what an enterprise has, and which employee holds it (rules 8). */
export function holdingHandlers({ contents, holdingChanges }: ServerOptions) {
  const changeTools = (request: FastifyRequest) => ({ changes: holdingChanges, deadline: request.deadline });

  return {
    listEnterpriseAssets: async (request, actor) => success(await listAssets(request.db, actor)),

    readAssetContents: async (request, actor, reply) => {
      const { db, deadline, params } = request;
      const call = { db, kind: 'contents', party: actor.enterpriseId, signal: deadline.signal };
      const { products, merchandises } = await readAssetContents(contents, call, actor, params.assetId);
      const answer = success({ productInstanceList: products, children: merchandises });
      return await answerInPieces(writeJsonPieces(answer), request, reply);
    },

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
