import {
  type ApplicationId,
  type Channels,
  type EnterpriseId,
  type MemberId,
  Nonce,
  Refusal,
  type Scope,
} from '@lockstep/contract';
import { type Database, Group } from '@lockstep/platform';
import {
  type Attempt,
  judgeAttempts,
  judgeUserAttempts,
  type UserAttempt,
  type UserVerdict,
  type Verdict,
} from './call-verdicts.ts';
import { hashSecret } from './secrets.ts';

/** The application that makes a call. */
export interface Caller {
  applicationId: ApplicationId;
  appKey: string;
  /** The channels that it is bound to. */
  channels: Channels;
}

/** An administrator of an enterprise, and the application that calls for them. */
interface Administrator extends Caller {
  memberId: MemberId;
  enterpriseId: EnterpriseId;
}

/** The credentials of a call, as the client sent them. */
interface CallCredentials {
  authorization: string | undefined;
  nonce: unknown;
}

interface UserCallCredentials extends CallCredentials {
  clientToken: string | undefined;
  userToken: string | undefined;
}

const MAX_ATTEMPTS_PER_GROUP = 100;

/** Verifies calls (rules 2 and 3): tokens, scope, approval and nonce in one round trip, which calls that wait share. */
export class CallVerifier {
  readonly #attempts: Group<Attempt, Verdict | undefined>;
  readonly #userAttempts: Group<UserAttempt, UserVerdict | undefined>;

  constructor(db: Database) {
    const bounds = { maxRunning: 2, gathers: true, maxInputs: MAX_ATTEMPTS_PER_GROUP };
    const keyOf = ({ nonce, tokenHash }: Attempt) => nonce ?? tokenHash.toString('base64');
    this.#attempts = new Group({ ...bounds, keyOf, run: (attempts: Attempt[]) => judgeAttempts(db, attempts) });
    this.#userAttempts = new Group({
      ...bounds,
      keyOf,
      run: (attempts: UserAttempt[]) => judgeUserAttempts(db, attempts),
    });
  }

  /**
   * Returns the application that calls. Throws a Refusal: token_missing, token_invalid, application_not_approved,
   * scope_missing; then, once the caller is verified, nonce_missing, nonce_malformed, nonce_replayed.
   */
  async verify(call: CallCredentials & { scope: Scope }): Promise<Caller> {
    const nonce = Nonce.safeParse(call.nonce).data;
    const attempt = { tokenHash: hashSecret(parseBearer(call)), scope: call.scope, nonce };
    const verdict = await this.#attempts.run(attempt);
    checkApplication(verdict, call.scope);
    checkNonce(verdict, call.nonce, nonce);
    const { application_id: applicationId, app_key: appKey, channels } = verdict;
    return { applicationId, appKey, channels };
  }

  /**
   * Returns the administrator that calls the member center. Throws a Refusal: those of `verify`, client_token_missing,
   * client_token_invalid, client_token_mismatch, user_token_missing, user_token_invalid, not_administrator.
   */
  async verifyAdministrator(call: UserCallCredentials): Promise<Administrator> {
    const scope = 'auth_me';
    const nonce = Nonce.safeParse(call.nonce).data;
    const verdict = await this.#userAttempts.run({
      tokenHash: hashSecret(parseBearer(call)),
      scope,
      nonce,
      clientTokenHash: hashSecret(call.clientToken ?? ''),
      userTokenHash: hashSecret(call.userToken ?? ''),
    });
    checkApplication(verdict, scope);
    if (!call.clientToken) throw new Refusal('client_token_missing');
    if (verdict.client_application_id === null) throw new Refusal('client_token_invalid');
    if (verdict.client_application_id !== verdict.application_id) throw new Refusal('client_token_mismatch');
    if (verdict.client_in_scope !== true) throw new Refusal('scope_missing', scope);
    if (!call.userToken) throw new Refusal('user_token_missing');
    const { member_id: memberId, enterprise_id: enterpriseId } = verdict;
    if (memberId === null || enterpriseId === null) throw new Refusal('user_token_invalid');
    checkNonce(verdict, call.nonce, nonce);
    if (verdict.is_administrator !== true) throw new Refusal('not_administrator', enterpriseId);
    const { application_id: applicationId, app_key: appKey, channels } = verdict;
    return { applicationId, appKey, channels, memberId, enterpriseId };
  }
}

function parseBearer({ authorization = '' }: CallCredentials): string {
  const token = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(authorization)?.[1];
  if (token === undefined) throw new Refusal('token_missing');
  return token;
}

function checkApplication(verdict: Verdict | undefined, scope: Scope): asserts verdict is Verdict {
  if (verdict === undefined) throw new Refusal('token_invalid');
  if (!verdict.approved) throw new Refusal('application_not_approved');
  if (!verdict.in_scope) throw new Refusal('scope_missing', scope);
}

/** `nonce` is what was sent, if that is well-formed. */
function checkNonce(verdict: Verdict, sent: unknown, nonce: string | undefined): void {
  if (sent === undefined || sent === '') throw new Refusal('nonce_missing');
  if (nonce === undefined) throw new Refusal('nonce_malformed');
  if (!verdict.nonce_fresh) throw new Refusal('nonce_replayed');
}
