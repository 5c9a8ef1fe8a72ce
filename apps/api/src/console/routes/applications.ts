import {
  bindApplication,
  countLiveTokens,
  findApplication,
  listApplicationPage,
  lockApplication,
} from '@lockstep/access/operator';
import type { ApplicationId } from '@lockstep/contract';
import { type ConsoleApplication, ConsoleRefusal } from '@lockstep/contract/console';
import {
  changeApplicationStatus,
  recordChange,
  registerApplication,
  revokeApplicationTokens,
  rotateApplicationSecret,
} from '@lockstep/operators';
import { inTransaction, ListCursor } from '@lockstep/platform';
import type { FastifyRequest } from 'fastify';
import { noteSubject } from '../../calls/calls.ts';
import type { ConsoleHandlers } from '../operations.ts';

/** Handlers for applications, with their scopes and channels. */
export const applicationsHandlers = {
  listApplications: async (request) => {
    const { limit, cursor, ...wanted } = request.query;
    const places = new ListCursor(['console', 'applications', wanted], cursor);
    const after = (places.after?.[0] ?? null) as ApplicationId | null;
    const filters = { search: wanted.search, status: wanted.status };
    const { applications, stop } = await listApplicationPage(request.db, filters, { after, limit });
    return { applications, nextCursor: places.write(stop && [stop]) };
  },

  getApplication: async (request) => {
    const appKey = keyOf(request);
    const { id, application } = existing(appKey, await findApplication(request.db, appKey));
    return { ...application, liveTokens: await countLiveTokens(request.db, id) };
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

  revokeApplicationTokens: async (request, operator) => {
    await revokeApplicationTokens(request.db, keyOf(request), operator);
    return null;
  },

  bindApplication: async (request, operator) => {
    const appKey = keyOf(request);
    const { channels, shownChannels } = request.body;
    return await inTransaction(request.db, async (trx) => {
      const { id, application } = existing(appKey, await lockApplication(trx, appKey));
      if (!areSame(application.channels, shownChannels)) throw new ConsoleRefusal('changed_meanwhile', 'channels');
      if (areSame(application.channels, channels)) return application;
      const changed = await bindApplication(trx, id, channels);
      await recordChange(trx, operator, {
        action: 'application.channels_bound',
        target: appKey,
        before: { channels: application.channels },
        after: { channels: changed.channels },
      });
      return changed;
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

/** Returns what was found. Throws a ConsoleRefusal: not_found. */
function existing<Found>(appKey: string, found: Found | undefined): Found {
  if (found === undefined) throw new ConsoleRefusal('not_found', 'application', appKey);
  return found;
}

/** Whether two bindings name the same channels, in any order. */
function areSame(one: ConsoleApplication['channels'], other: ConsoleApplication['channels']): boolean {
  if (one === null || other === null) return one === other;
  return new Set(one).symmetricDifference(new Set(other)).size === 0;
}
