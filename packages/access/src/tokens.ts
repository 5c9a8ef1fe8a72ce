import {
  ACCESS_TOKEN_SECONDS,
  type ApplicationId,
  type MemberId,
  type OAuthErrorWord,
  Scope,
  type TokenAnswer,
} from '@lockstep/contract';
import { type Database, inTransaction, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { isStillLoggedIn, type Login, logIn } from './logins.ts';
import type { PasswordTools } from './passwords.ts';
import { hashSecret, isOneOf, newSecret } from './secrets.ts';

/** An error answer of the token endpoint (RFC 6749 section 5.2). */
export class OAuthRefusal extends Error {
  readonly word: OAuthErrorWord;

  constructor(word: OAuthErrorWord, description: string) {
    super(description);
    this.name = 'OAuthRefusal';
    this.word = word;
  }
}

/** The credentials of a client of the token endpoint. */
export interface ClientCredentials {
  clientId: string;
  clientSecret: string;
}

/** Stands in for a missing application or old secret, so that the answer takes equally long. */
const NO_SECRET = hashSecret(newSecret());

/**
 * Issues an application token, valid for two hours (RFC 6749 section 4.4; rules 2). `requestedScope` is a
 * space-separated list; without it the token has all scopes of the application. Throws an OAuthRefusal.
 */
export async function issueClientToken(
  db: Database,
  client: ClientCredentials,
  requestedScope: string | undefined,
): Promise<TokenAnswer> {
  const application = await authenticate(db, client);
  const scopes = grantScopes(application.scopes, requestedScope);
  const token = newSecret();
  await insertToken(db, application, { token, memberId: null, scopes });
  return buildTokenAnswer(token, scopes);
}

/**
 * Issues a user token for the member center to an application (RFC 6749 section 4.3; rules 2). It ends when the user's
 * password changes. A request without the scope auth_me also gets a token, but the member center refuses it.
 *
 * Throws an OAuthRefusal: unauthorized_client if the application lacks auth_me, before the password is checked or a
 * failure counted; invalid_grant if the account or password is wrong or the account is locked. Throws an Overload.
 */
export async function issueUserToken(
  tools: PasswordTools,
  client: ClientCredentials,
  user: Login,
  requestedScope: string | undefined,
): Promise<TokenAnswer> {
  const { db } = tools;
  const application = await authenticate(db, client);
  if (!application.scopes.includes(USER_SCOPE)) {
    throw new OAuthRefusal(
      'unauthorized_client',
      `The application lacks the scope ${USER_SCOPE}. Ask the operator of the service to add it.`,
    );
  }
  const scopes = grantScopes(application.scopes, requestedScope);
  const loggedIn = await logIn(tools, application.id, user);
  if (loggedIn === undefined) throw new OAuthRefusal('invalid_grant', NOT_LOGGED_IN);
  const token = newSecret();
  const isIssued = await inTransaction(db, async (trx) => {
    if (!(await isStillLoggedIn(trx, application.id, user.account, loggedIn))) return false;
    await insertToken(trx, application, { token, memberId: loggedIn.memberId, scopes });
    return true;
  });
  if (!isIssued) throw new OAuthRefusal('invalid_grant', NOT_LOGGED_IN);
  return buildTokenAnswer(token, scopes);
}

/** The scope that user tokens are for. */
const USER_SCOPE: Scope = 'auth_me';

const NOT_LOGGED_IN =
  'username (name@code) or password is incorrect, or failed logins have locked the account for five minutes.';

/**
 * The most live tokens of an application, and of one user through an application. Each process of a client needs one,
 * rarely two. Above the limit the oldest end, because refusing new ones would lock out the rightful client too.
 */
export const MAX_CLIENT_TOKENS = 1_000;
export const MAX_USER_TOKENS = 100;

/**
 * Stores a token and ends the oldest if there are too many. Concurrent calls may each leave one too many, which the
 * next call ends. The token gets the generation that the application had when it authenticated, so a revocation since
 * then covers it.
 */
async function insertToken(
  db: Database | Trx,
  { id: applicationId, generation }: Authenticated,
  { token, memberId, scopes }: { token: string; memberId: MemberId | null; scopes: Scope[] },
): Promise<void> {
  const isOfSame = memberId === null ? sql`member_id is null` : sql`member_id = ${memberId}`;
  const maxOthers = (memberId === null ? MAX_CLIENT_TOKENS : MAX_USER_TOKENS) - 1;
  await sql`
    with ended as (
      delete from access_token where token_hash = any (array (
        select token_hash from access_token
        where token_hash in (
          select token_hash from access_token
          where application_id = ${applicationId} and ${isOfSame} and expires_time > now()
          order by expires_time desc offset ${maxOthers}
        )
        for update skip locked
      ))
    )
    insert into access_token (token_hash, application_id, generation, member_id, scopes, expires_time)
    values (${hashSecret(token)}, ${applicationId}, ${generation}, ${memberId}, ${scopes},
      now() + make_interval(secs => ${ACCESS_TOKEN_SECONDS}))`.execute(db);
}

function buildTokenAnswer(token: string, scopes: Scope[]): TokenAnswer {
  return { access_token: token, token_type: 'Bearer', expires_in: ACCESS_TOKEN_SECONDS, scope: scopes.join(' ') };
}

/** An application that presented a valid secret, and the generation for its tokens. */
interface Authenticated {
  id: ApplicationId;
  scopes: string[];
  generation: number;
}

/** Returns the application with this key and secret. Only an approved application gets tokens (rules 2). */
async function authenticate(db: Database, client: ClientCredentials): Promise<Authenticated> {
  const application = await findApplication(db, client.clientId);
  const { secret_hash: hash = NO_SECRET, old_secret_hash: oldHash = null } = application ?? {};
  const isRight = isOneOf(client.clientSecret, [hash, oldHash ?? NO_SECRET]);
  if (!isRight || application === undefined) {
    throw new OAuthRefusal('invalid_client', 'client_id (appKey) or client_secret (appSecret) is incorrect.');
  }
  if (application.status !== 'approved') {
    throw new OAuthRefusal(
      'unauthorized_client',
      'The application is not approved. Ask the operator of the service to approve it.',
    );
  }
  return application;
}

/** The characters of a client id (RFC 6749 appendix A.1). PostgreSQL cannot store some of the others. */
const CLIENT_ID = /^[\x20-\x7e]{1,255}$/;

async function findApplication(db: Database, appKey: string) {
  if (!CLIENT_ID.test(appKey)) return undefined;
  return await db
    .selectFrom('application')
    .select(['id', 'secret_hash', 'scopes', 'status', 'token_generation as generation'])
    .select(sql<Buffer | null>`case when old_secret_end_time > now() then old_secret_hash end`.as('old_secret_hash'))
    .where('app_key', '=', appKey)
    .executeTakeFirst();
}

function grantScopes(owned: string[], requested: string | undefined): Scope[] {
  const words = requested?.split(' ').filter((word) => word !== '') ?? [];
  const wanted = words.length > 0 ? [...new Set(words)] : owned;
  return wanted.map((word) => {
    const known = Scope.safeParse(word);
    if (!known.success || !owned.includes(word)) {
      throw new OAuthRefusal(
        'invalid_scope',
        'scope names a scope that the application lacks. Omit scope to get all that it has.',
      );
    }
    return known.data;
  });
}
