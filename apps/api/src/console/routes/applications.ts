import { bindApplication, countLiveTokens, findApplication, listApplicationPage } from '@lockstep/access/operator';
import { type ConsoleApplication, ConsoleRefusal } from '@lockstep/contract/console';
import {
  changeApplicationStatus,
  recordChange,
  registerApplication,
  revokeApplicationTokens,
  rotateApplicationSecret,
} from '@lockstep/operators';
import { inTransaction } from '@lockstep/platform';
import type { FastifyRequest } from 'fastify';
import { noteSubject } from '../../calls/calls.ts';
import { type ConsoleHandlers, existing } from '../operations.ts';

/** Handlers for applications, with their scopes and channels. */
export const applicationsHandlers = {
  listApplications: (request, operator) => listApplicationPage(request.db, operator, request.query),

  getApplication: async (request, operator) => {
    const appKey = keyOf(request);
    const application = existing('application', appKey, await findApplication(request.db, operator, appKey));
    return { ...application, liveTokens: await countLiveTokens(request.db, appKey) };
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
