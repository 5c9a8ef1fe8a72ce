import {
  type Attempt,
  checkPassword,
  type Failure,
  forgetFailures,
  hashSecret,
  isLocked,
  newSecret,
  type PasswordHasher,
} from '@lockstep/access';
import { ConsoleRefusal, type Me } from '@lockstep/contract/console';
import { operatorIn } from '@lockstep/contract/operator';
import { type Database, FairQueue, inMs, inTransaction, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { recordChange } from './audit-log.ts';
import { NO_LINK, useLogInToken } from './log-in-links.ts';
import type { Operator } from './operator.ts';
import { type ProviderPerson, provideOperator, recordRefused } from './provider-logins.ts';

/** When a session ends: after its operator's last action, and after its start (rules 9, Operators). */
const IDLE_END = sql`interval '30 minutes'`;
const ABSOLUTE_END = sql`interval '12 hours'`;
/** How often the use of a session is stored. */
const NOTED_EVERY = sql`interval '1 minute'`;
/**
 * What the console shows of a session. It sees and acts in its channels; null: all (rules 9 Channels of operators). An
 * operator without a password logs in by the provider.
 */
const ME = sql`operator_id as "operatorId", name, role, case when role <> 'admin' then channels end as channels,
  password_hash is null as "byProvider", ${inMs('end_time')} as "endTime"`;
/** How many sessions an operator may have. One more ends the oldest. */
const MAX_SESSIONS = 20;

/** A new session. Its token is returned only here and stored hashed. */
export interface NewSession {
  token: string;
  me: Me;
}

/** A call that logs in. */
export interface LoginCall {
  /** Where it comes from. */
  address: string;
  requestId: string;
  /** Aborts when the caller has left. */
  signal: AbortSignal;
}

/** The sessions of operators in the console. */
export class OperatorSessions {
  readonly #passwords: PasswordHasher;
  /** Addresses take turns, because anybody may try to log in. All of them together have one share of the hashing. */
  readonly #turns = new FairQueue({ atOnce: 3, atOnceOfParty: 1, maxWaiting: 20 });

  constructor(passwords: PasswordHasher) {
    this.#passwords = passwords;
  }

  /**
   * Begins a session. The audit log gets the login, and the failed logins that rules 9 name.
   *
   * Throws a ConsoleRefusal: login_failed if name or password is wrong, or the account is disabled or locked. Neither
   * the answer nor its time shows which. Throws an Overload before it counts a failure.
   */
  async logIn(db: Database, login: { name: string; password: string }, call: LoginCall): Promise<NewSession> {
    const { name, password } = login;
    const attempt: Attempt = { kind: 'operator', name, party: call.address };
    const checked = await this.#check(db, attempt, password, call, (trx, failure) =>
      recordFailedLogIn(trx, name, call, failure),
    );
    if (checked === undefined) throw new ConsoleRefusal('login_failed');
    return await inTransaction(db, async (trx) => {
      if (!(await isStillChecked(trx, checked)) || (await isLocked(trx, attempt))) {
        throw new ConsoleRefusal('login_failed');
      }
      return await enter(trx, { operatorId: checked.id, name, requestId: call.requestId }, null);
    });
  }

  /**
   * Begins a session with the token of a login link and uses up the token. Throws a ConsoleRefusal:
   * log_in_link_invalid.
   */
  async logInByLink(db: Database, token: string, requestId: string): Promise<NewSession> {
    return await inTransaction(db, async (trx) => {
      const found = await useLogInToken(trx, token);
      if (found === undefined) throw new ConsoleRefusal('log_in_link_invalid');
      return await enter(trx, { operatorId: found.id, name: found.name, requestId }, { by: 'link' });
    });
  }

  /**
   * Begins a session of a person who has logged in at the provider, and adds a refusal to the audit log. Throws a
   * ConsoleRefusal as provideOperator does.
   */
  async logInByProvider(db: Database, person: ProviderPerson, call: Omit<LoginCall, 'signal'>): Promise<NewSession> {
    const { requestId } = call;
    try {
      return await inTransaction(db, async (trx) => {
        const { id, name } = await provideOperator(trx, person, requestId);
        return await enter(trx, { operatorId: id, name, requestId }, { by: 'provider' });
      });
    } catch (error) {
      if (error instanceof ConsoleRefusal) await recordRefused(db, person, call, error.reason);
      throw error;
    }
  }

  /**
   * Returns the operator of a session's token; undefined if the session has ended or the operator is disabled. Renews
   * the session for half an hour, unless the call is automatic, such as a timer's.
   */
  async verify(
    db: Database,
    token: string,
    { requestId, isAutomatic }: { requestId: string; isAutomatic: boolean },
  ): Promise<{ operator: Operator; me: Me } | undefined> {
    const tokenHash = hashSecret(token);
    const { rows } = await sql<Me & { isToNote: boolean }>`
      select ${ME}, used_time < statement_timestamp() - ${NOTED_EVERY} as "isToNote"
      from operator_session join operator on operator.id = operator_id
      where token_hash = ${tokenHash} and expires_time > statement_timestamp() and disabled_time is null`.execute(db);
    const row = rows[0];
    if (row === undefined) return undefined;
    const { isToNote, ...me } = row;
    if (isToNote && !isAutomatic) {
      await sql`
        update operator_session
        set used_time = statement_timestamp(), expires_time = least(end_time, statement_timestamp() + ${IDLE_END})
        where token_hash = ${tokenHash} and expires_time > statement_timestamp()`.execute(db);
    }
    const { operatorId, name, role, channels } = me;
    return { operator: { operatorId, name, role, requestId, ...operatorIn(channels) }, me };
  }

  /** Ends an operator's session and adds the logout to the audit log. */
  async logOut(db: Database, operator: Operator, token: string): Promise<void> {
    await inTransaction(db, async (trx) => {
      const ended = await sql`delete from operator_session where token_hash = ${hashSecret(token)}`.execute(trx);
      if (ended.numAffectedRows === 0n) return;
      await recordChange(trx, operator, {
        action: 'operator.logged_out',
        target: operator.name,
      });
    });
  }

  /**
   * Sets an operator's password, ends all their sessions and begins a new one. A wrong current password counts as a
   * failure. Throws a ConsoleRefusal: password_wrong; an Overload.
   */
  async changeOwnPassword(
    db: Database,
    operator: Operator,
    { password, newPassword }: { password: string; newPassword: string },
    call: LoginCall,
  ): Promise<NewSession> {
    const { name } = operator;
    // These failures count apart from logins, so that strangers who lock a name can't keep its operator from this.
    const checked = await this.#check(db, { kind: 'confirmation', name, party: call.address }, password, call);
    if (checked === undefined) throw new ConsoleRefusal('password_wrong');
    const [hash] = await this.#passwords.hashAll([newPassword], { party: 'operators', signal: call.signal });
    return await inTransaction(db, async (trx) => {
      if (!(await isStillChecked(trx, checked, 'for update'))) throw new ConsoleRefusal('password_wrong');
      await setPasswordHash(trx, { id: checked.id, name }, hash!);
      await recordChange(trx, operator, { action: 'operator.password_changed', target: name });
      return await beginSession(trx, checked.id);
    });
  }

  /** Returns the enabled operator of the name; undefined if the password is wrong or the name is locked. */
  async #check(
    db: Database,
    attempt: Attempt,
    password: string,
    call: LoginCall,
    note?: (trx: Trx, failure: Failure) => Promise<void>,
  ): Promise<Checked | undefined> {
    const { address, signal } = call;
    const tools = { db, passwords: this.#passwords, owner: { party: 'console', signal }, ...(note && { note }) };
    const find = async () => {
      const { rows } = await sql<Checked>`
        select id, password_hash as "passwordHash" from operator
        where name = ${attempt.name} and disabled_time is null`.execute(db);
      return rows[0];
    };
    return await this.#turns.run(address, signal, () => checkPassword(tools, attempt, password, find));
  }
}

/** An operator whose password is correct, with the hash that it was checked against. */
interface Checked {
  id: string;
  passwordHash: string | null;
}

/**
 * Adds failed logins of an existing operator to the audit log: the first from an address within 15 minutes, and those
 * that lock the name, so that strangers can't fill the log (rules 9). An unknown name costs the same statement.
 */
async function recordFailedLogIn(
  trx: Trx,
  name: string,
  { address, requestId }: LoginCall,
  { isFirst, lockedUntil, lockedForAllUntil }: Failure,
): Promise<void> {
  const lockOut = (until: Date, lockedFor: string) => ({
    action: 'operator.locked_out',
    after: JSON.stringify({ lockedFor, untilTime: until.getTime() }),
  });
  const entries = [
    ...(isFirst ? [{ action: 'operator.log_in_failed', after: null }] : []),
    ...(lockedUntil === null ? [] : [lockOut(lockedUntil, 'this address')]),
    ...(lockedForAllUntil === null ? [] : [lockOut(lockedForAllUntil, 'all addresses')]),
  ];
  if (entries.length === 0) return;
  await sql`
    insert into operator_audit (actor, action, target, after, request_id)
    select ${address}, action, name, after, ${requestId}
    from operator, unnest(${entries.map(({ action }) => action)}::text[], ${entries.map(({ after }) => after)}::json[])
      as entry (action, after)
    where name = ${name}`.execute(trx);
}

/** Returns whether the checked password is still the operator's. Locks the operator until the transaction ends. */
async function isStillChecked(
  trx: Trx,
  { id, passwordHash }: Checked,
  lock: 'for share' | 'for update' = 'for share',
): Promise<boolean> {
  const { rows } = await sql`
    select from operator where id = ${id} and password_hash = ${passwordHash} and disabled_time is null
    ${sql.raw(lock)}`.execute(trx);
  return rows.length > 0;
}

/** Begins a session and adds the login to the audit log. `after`: how the operator logged in, if not by password. */
async function enter(
  trx: Trx,
  actor: { operatorId: string; name: string; requestId: string },
  after: { by: 'link' | 'provider' } | null,
): Promise<NewSession> {
  const session = await beginSession(trx, actor.operatorId);
  await recordChange(trx, actor, { action: 'operator.logged_in', target: actor.name, after });
  return session;
}

async function beginSession(trx: Trx, operatorId: string): Promise<NewSession> {
  const token = newSecret();
  await sql`
    delete from operator_session where token_hash in (
      select token_hash from operator_session where operator_id = ${operatorId}
      order by created_time desc offset ${MAX_SESSIONS - 1})`.execute(trx);
  const { rows } = await sql<Me>`
    with begun as (
      insert into operator_session (token_hash, operator_id, expires_time, end_time)
      values (${hashSecret(token)}, ${operatorId}, statement_timestamp() + ${IDLE_END}, statement_timestamp() + ${ABSOLUTE_END})
      returning operator_id, end_time
    )
    select ${ME} from begun join operator on operator.id = operator_id`.execute(trx);
  return { token, me: rows[0]! };
}

/**
 * Stores a new password; null for logins by the provider. Ends the operator's sessions, login link and link to a person
 * there, and the lock by failed logins.
 */
export async function setPasswordHash(
  trx: Trx,
  { id, name }: { id: string; name: string },
  hash: string | null,
): Promise<void> {
  await sql`
    update operator set password_hash = ${hash}, issuer = null, subject = null, ${NO_LINK} where id = ${id}`.execute(
    trx,
  );
  await sql`delete from operator_session where operator_id = ${id}`.execute(trx);
  await forgetFailures(trx, { kind: 'operator', name });
}
