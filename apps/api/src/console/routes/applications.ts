import {
  bindApplication,
  findApplication,
  listApplicationPage,
  readOwnTokens,
  readRefusals,
} from '@lockstep/access/operator';
import { type ConsoleApplication, ConsoleRefusal } from '@lockstep/contract/console';
import {
  changeApplicationStatus,
  changeNotices,
  recordChange,
  registerApplication,
  revokeApplicationTokens,
  rotateApplicationSecret,
} from '@lockstep/operators';
import { listBatches } from '@lockstep/orders';
import { showBatch } from '@lockstep/orders/operator';
import { inTransaction } from '@lockstep/platform';
import type { FastifyRequest } from 'fastify';
import { noteSubject } from '../../calls/calls.ts';
import { type ConsoleHandlers, existing } from '../operations.ts';

/** How many batches of an application's last day are counted: the newest. */
const MAX_COUNTED = 1_000;

/** Handlers for applications, with their scopes and channels. */
export const applicationsHandlers = {
  listApplications: (request, operator) => listApplicationPage(request.db, operator, request.query),

  listRefusals: (request, operator) => readRefusals(request.db, operator, request.query),

  getApplication: async (request, operator) => {
    const appKey = keyOf(request);
    const application = existing('application', appKey, await findApplication(request.db, operator, appKey));
    const tokens = await readOwnTokens(request.db, appKey);
    const since = Date.now() - 86_400_000;
    const list = (limit: number, acceptedFrom?: number) =>
      listBatches(request.db, operator, { appKey, channelCode: undefined, acceptedFrom, limit }, showBatch);
    const { batches, nextCursor } = await list(MAX_COUNTED, since);
    const newest = batches[0] ?? (await list(1)).batches[0];
    const sum = (name: 'total' | 'failed') => batches.reduce((total, batch) => total + batch[name], 0);
    const isMore = nextCursor !== null;
    return {
      ...{ ...application, ...tokens, lastBatchTime: newest?.acceptedTime ?? null },
      lastDay: { since, batches: batches.length, orders: sum('total'), failed: sum('failed'), isMore },
    };
  },

  createApplication: async (request, operator) => {
    const { name, scopes, channels, isApproved } = request.body;
    const application = { name, scopes, channels, approved: isApproved };
    const credentials = await registerApplication(request.db, application, operator);
    noteSubject(request, { appKey: credentials.appKey });
    return credentials;
  },

  approveApplication: (request, operator) => changeApplicationStatus(request.db, keyOf(request), 'approved', operator),
  suspendApplication: (request, operator) => changeApplicationStatus(request.db, keyOf(request), 'suspended', operator),

  rotateApplicationSecret: (request, operator) =>
    rotateApplicationSecret(request.db, keyOf(request), request.body.overlapHours, operator),

  revokeApplicationTokens: (request, operator) => revokeApplicationTokens(request.db, keyOf(request), operator),

  changeNotices: (request, operator) => changeNotices(request.db, keyOf(request), request.body, operator),

  bindApplication: async (request, operator) => {
    const appKey = keyOf(request);
    const { channels, shownChannels } = request.body;
    return await inTransaction(request.db, async (trx) => {
      const application = existing('application', appKey, await findApplication(trx, operator, appKey, { lock: true }));
      if (!areSame(application.channels, shownChannels)) throw new ConsoleRefusal('changed_meanwhile', 'channels');
      if (areSame(application.channels, channels)) return application;
      await bindApplication(trx, appKey, channels);
      await recordChange(trx, operator, {
        action: 'application.channels_bound',
        target: appKey,
        before: { channels: application.channels },
        after: { channels },
      });
      return { ...application, channels };
    });
  },
} satisfies ConsoleHandlers;

type NamesApplication = FastifyRequest<{ Params: { appKey: string } }>;

/** Returns the appKey of a call, and records it for the log line. */
function keyOf(request: NamesApplication): string {
  const { appKey } = request.params;
  noteSubject(request, { appKey });
  return appKey;
}

/** Whether two bindings name the same channels, in any order. */
function areSame(one: ConsoleApplication['channels'], other: ConsoleApplication['channels']): boolean {
  if (one === null || other === null) return one === other;
  return new Set(one).symmetricDifference(new Set(other)).size === 0;
}
