import { createApplication, rotateSecret } from '@lockstep/access';
import {
  bindApplication,
  changeStatus,
  countLiveTokens,
  findApplication,
  listApplicationPage,
  lockApplication,
} from '@lockstep/access/operator';
import type { ApplicationId } from '@lockstep/contract';
import { type ApplicationStatus, type ConsoleApplication, ConsoleRefusal } from '@lockstep/contract/console';
import { type Operator, recordChange } from '@lockstep/operators';
import { inTransaction, ListCursor } from '@lockstep/platform';
import type { FastifyRequest } from 'fastify';
import { noteSubject } from '../../calls.ts';
import type { ConsoleHandlers } from '../handlers.ts';

/** Applications: who may call the interface, with which scopes and channels. */
export function applicationsHandlers() {
  type NamesApplication = FastifyRequest<{ Params: { appKey: string } }>;

  /** Names the application of a call, for its log line too. */
  const keyOf = (request: NamesApplication) => {
    const { appKey } = request.params;
    noteSubject(request, { appKey });
    return appKey;
  };

  const setStatus = (request: NamesApplication, operator: Operator, status: ApplicationStatus) => {
    const appKey = keyOf(request);
    return inTransaction(request.db, async (trx) => {
      const { id, application } = existing(appKey, await lockApplication(trx, appKey));
      if (application.status === status) return application;
      const changed = await changeStatus(trx, id, status);
      await recordChange(trx, operator, {
        action: `application.${status}`,
        target: appKey,
        before: { status: application.status },
        after: { status },
      });
      return changed;
    });
  };

  return {
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
      const credentials = await inTransaction(request.db, async (trx) => {
        const created = await createApplication(trx, { name, scopes, channels, approved: isApproved });
        await recordChange(trx, operator, {
          action: 'application.created',
          target: created.appKey,
          before: null,
          after: { name, scopes, channels, status: isApproved ? 'approved' : 'pending' },
        });
        return created;
      });
      noteSubject(request, { appKey: credentials.appKey });
      return credentials;
    },

    approveApplication: (request, operator) => setStatus(request, operator, 'approved'),
    suspendApplication: (request, operator) => setStatus(request, operator, 'suspended'),

    rotateApplicationSecret: async (request, operator) => {
      const appKey = keyOf(request);
      const { overlapHours } = request.body;
      return await inTransaction(request.db, async (trx) => {
        const { application: before } = existing(appKey, await lockApplication(trx, appKey));
        const credentials = existing(appKey, await rotateSecret(trx, appKey, overlapHours));
        const { application: after } = existing(appKey, await findApplication(trx, appKey));
        await recordChange(trx, operator, {
          action: 'application.secret_rotated',
          target: appKey,
          before: { oldSecretEndTime: before.oldSecretEndTime },
          after: { oldSecretEndTime: after.oldSecretEndTime },
        });
        return { ...credentials, oldSecretEndTime: after.oldSecretEndTime };
      });
    },

    bindApplication: async (request, operator) => {
      const appKey = keyOf(request);
      const { channels, shownChannels } = request.body;
      return await inTransaction(request.db, async (trx) => {
        const { id, application } = existing(appKey, await lockApplication(trx, appKey));
        if (!areSame(application.channels, shownChannels))
          throw new ConsoleRefusal('changed_meanwhile', 'its channels');
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
}

/** What was found of an application. Throws a ConsoleRefusal: not_found. */
function existing<Found>(appKey: string, found: Found | undefined): Found {
  if (found === undefined) throw new ConsoleRefusal('not_found', 'application', appKey);
  return found;
}

/** Whether two bindings name the same channels, in any order. */
function areSame(one: ConsoleApplication['channels'], other: ConsoleApplication['channels']): boolean {
  if (one === null || other === null) return one === other;
  return new Set(one).symmetricDifference(new Set(other)).size === 0;
}
