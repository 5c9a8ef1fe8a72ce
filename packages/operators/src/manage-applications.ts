import { isDeepStrictEqual } from 'node:util';
import {
  type Credentials,
  createApplication,
  revokeTokens,
  rotateSecret,
  setApplicationStatus,
} from '@lockstep/access';
import { findApplication, setNotices } from '@lockstep/access/operator';
import {
  type ApplicationStatus,
  type ConsoleApplication,
  ConsoleRefusal,
  type Notices,
} from '@lockstep/contract/console';
import { OPERATOR } from '@lockstep/contract/operator';
import { type Database, inTransaction, type Trx } from '@lockstep/platform';
import { recordChange } from './audit-log.ts';
import type { Actor } from './operator.ts';

/** What an entry says of the tokens. */
const recordTokens = (isRevoked: boolean) =>
  isRevoked ? { before: { tokens: 'valid' }, after: { tokens: 'revoked' } } : { before: {}, after: {} };

/** Registers an application (rules 2 and 9). */
export function registerApplication(
  db: Database,
  application: Parameters<typeof createApplication>[1],
  actor: Actor,
): Promise<Credentials> {
  return inTransaction(db, async (trx) => {
    const created = await createApplication(trx, application);
    const { approved, channels = null, ...rest } = application;
    await recordChange(trx, actor, {
      action: 'application.created',
      target: created.appKey,
      after: { ...rest, channels, status: approved ? 'approved' : 'pending' },
    });
    return created;
  });
}

/**
 * Approves an application, or suspends it and revokes its tokens (rules 2). Returns the changed application. Throws a
 * ConsoleRefusal: not_found.
 */
export function changeApplicationStatus(
  db: Database,
  appKey: string,
  status: Exclude<ApplicationStatus, 'pending'>,
  actor: Actor,
): Promise<ConsoleApplication> {
  return inTransaction(db, async (trx) => {
    const application = await lock(trx, appKey);
    if (application.status === status) return application;
    await setApplicationStatus(trx, appKey, status);
    const tokens = recordTokens(status !== 'approved');
    await recordChange(trx, actor, {
      action: `application.${status}`,
      target: appKey,
      before: { status: application.status, ...tokens.before },
      after: { status, ...tokens.after },
    });
    return { ...application, status };
  });
}

/**
 * Gives an application a new secret; without overlap, also revokes its tokens (rules 2). Also returns when the old
 * secret ends, in milliseconds. Throws a ConsoleRefusal: not_found.
 */
export function rotateApplicationSecret(
  db: Database,
  appKey: string,
  overlapHours: number,
  actor: Actor,
): Promise<Credentials & { oldSecretEndTime: number | null }> {
  return inTransaction(db, async (trx) => {
    const before = await lock(trx, appKey);
    const credentials = await rotateSecret(trx, appKey, overlapHours);
    const { oldSecretEndTime } = (await findApplication(trx, OPERATOR, appKey))!;
    const tokens = recordTokens(overlapHours === 0);
    await recordChange(trx, actor, {
      action: 'application.secret_rotated',
      target: appKey,
      before: { oldSecretEndTime: before.oldSecretEndTime, ...tokens.before },
      after: { oldSecretEndTime, ...tokens.after },
    });
    return { ...credentials!, oldSecretEndTime };
  });
}

/** Revokes all tokens of an application and of its users (rules 2). Throws a ConsoleRefusal: not_found. */
export function revokeApplicationTokens(db: Database, appKey: string, actor: Actor): Promise<void> {
  return inTransaction(db, async (trx) => {
    await lock(trx, appKey);
    await revokeTokens(trx, appKey);
    await recordChange(trx, actor, { action: 'application.tokens_revoked', target: appKey, ...recordTokens(true) });
  });
}

/** Changes which events of licenses an application gets (rules 6.8). Throws a ConsoleRefusal: not_found. */
export function changeNotices(
  db: Database,
  appKey: string,
  notices: Notices,
  actor: Actor,
): Promise<ConsoleApplication> {
  return inTransaction(db, async (trx) => {
    const application = await lock(trx, appKey);
    const { hearsLicenses, leadDays } = application;
    const before = { hearsLicenses, leadDays };
    const after = { hearsLicenses: notices.hearsLicenses ?? hearsLicenses, leadDays: notices.leadDays ?? leadDays };
    if (isDeepStrictEqual(before, after)) return application;
    await setNotices(trx, appKey, after);
    await recordChange(trx, actor, { action: 'application.notices_changed', target: appKey, before, after });
    return { ...application, ...after };
  });
}

async function lock(trx: Trx, appKey: string): Promise<ConsoleApplication> {
  const found = await findApplication(trx, OPERATOR, appKey, { lock: true });
  if (found === undefined) throw new ConsoleRefusal('not_found', 'application', appKey);
  return found;
}
