import type { OidcConfig } from '@lockstep/config';
import { CONSOLE_ROOT, ConsoleRefusal, OperatorRole } from '@lockstep/contract/console';
import type { ProviderPerson } from '@lockstep/operators';
import { FairQueue, type Logger } from '@lockstep/platform';
import * as oidc from 'openid-client';
import { z } from 'zod';

/** How long the provider may take for each of up to four answers. */
const TIMEOUT_SECONDS = 5;
/** The page of the console to which the provider returns. */
const RETURN_PAGE = `${CONSOLE_ROOT}/log-in`;

/** What the browser keeps, out of reach of scripts, until the provider sends it back. */
const Attempt = z.object({ state: z.string(), nonce: z.string(), codeVerifier: z.string(), next: z.string() });

/** An identity that the provider vouches for. Anything else is nonsense. */
const Identity = z.object({ iss: z.string().max(512), sub: z.string().regex(/^[\x20-\x7e]{1,255}$/) });
const UserName = z.string().regex(/^[^\p{Cc}\p{Cs}]{1,255}$/u);
const Groups = z.union([z.array(z.unknown()), z.string().transform((group) => [group])]);

/**
 * The OpenID Connect provider by which operators log in (rules 9 Logins by a provider). Throws a ConsoleRefusal,
 * provider_unavailable, if the provider fails.
 */
export class LoginProvider {
  /** Its host, by which people know it. */
  readonly name: string;
  readonly #config: OidcConfig;
  readonly #log: Logger;
  /** The provider's metadata, once read. */
  #discovered: Promise<oidc.Configuration> | undefined;
  /** Bounds what strangers can make this process ask the provider. */
  readonly #turns = new FairQueue({ atOnce: 10, atOnceOfParty: 2, maxWaiting: 20 });

  constructor(config: OidcConfig, log: Logger) {
    this.#config = config;
    this.#log = log;
    this.name = new URL(config.issuer).host;
  }

  /** Returns the address to send the browser to, and the attempt that it keeps. */
  async begin(next: string): Promise<{ url: string; attempt: string }> {
    const [state, nonce, codeVerifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
    const challenge = await oidc.calculatePKCECodeChallenge(codeVerifier);
    const url = await this.#ask(async (provider) => {
      const hasGroupsScope = provider.serverMetadata().scopes_supported?.includes('groups') === true;
      return oidc.buildAuthorizationUrl(provider, {
        redirect_uri: this.#config.publicUrl + RETURN_PAGE,
        scope: `openid profile email${hasGroupsScope ? ' groups' : ''}`,
        state,
        nonce,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      });
    });
    const attempt: z.infer<typeof Attempt> = { state, nonce, codeVerifier, next };
    return { url: url.href, attempt: Buffer.from(JSON.stringify(attempt)).toString('base64url') };
  }

  /**
   * Returns the person whom the provider sent back with the parameters `search`, and the page to return to. Throws a
   * ConsoleRefusal, provider_attempt_unknown or provider_refused, if the parameters don't belong to the attempt, or the
   * provider refuses; an Overload.
   */
  async finish(
    search: string,
    attempt: string,
    call: { address: string; signal: AbortSignal },
  ): Promise<{ person: ProviderPerson; next: string }> {
    const sent = new URLSearchParams(search);
    const { state, nonce, codeVerifier, next } = readAttempt(attempt);
    if (sent.get('state') !== state) throw new ConsoleRefusal('provider_attempt_unknown');
    const returned = new URL(`${this.#config.publicUrl}${RETURN_PAGE}?${sent}`);
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: codeVerifier };
    const ask = async (provider: oidc.Configuration) => {
      const tokens = await oidc.authorizationCodeGrant(provider, returned, checks).catch(refuse);
      const claims = tokens.claims()!;
      // Many providers tell names and groups only here.
      const hasMore = provider.serverMetadata().userinfo_endpoint !== undefined;
      const more = hasMore ? await oidc.fetchUserInfo(provider, tokens.access_token, claims.sub) : {};
      return this.#personOf({ ...more, ...claims });
    };
    const person = await this.#turns.run(call.address, call.signal, () => this.#ask(ask));
    return { person, next };
  }

  #personOf(claims: Record<string, unknown>): ProviderPerson {
    const { iss: issuer, sub: subject } = Identity.parse(claims);
    const { data: groups = [] } = Groups.safeParse(claims[this.#config.groupsClaim]);
    const roles = this.#config.roles.filter(({ group }) => groups.includes(group)).map(({ role }) => role);
    const names = [claims.preferred_username, claims.email, subject];
    return {
      issuer,
      subject,
      userName: names.find((name): name is string => UserName.safeParse(name).success) ?? subject,
      role: OperatorRole.options.findLast((role) => roles.includes(role)),
    };
  }

  /** Asks the provider. Its metadata is read once; after a failure, the next call reads it again. */
  async #ask<Result>(ask: (provider: oidc.Configuration) => Promise<Result>): Promise<Result> {
    const { issuer, clientId, clientSecret } = this.#config;
    const isPlain = issuer.startsWith('http:');
    this.#discovered ??= oidc.discovery(new URL(issuer), clientId, undefined, oidc.ClientSecretBasic(clientSecret), {
      timeout: TIMEOUT_SECONDS,
      execute: [oidc.enableNonRepudiationChecks, ...(isPlain ? [oidc.allowInsecureRequests] : [])],
    });
    try {
      return await ask(await this.#discovered);
    } catch (error) {
      if (error instanceof ConsoleRefusal) throw error;
      this.#discovered = undefined;
      // What the provider sent may contain personal data, so the log has only the library's words.
      const { message, cause } = error as Error;
      const reason = error instanceof oidc.ResponseBodyError ? error.error : (cause as Error | undefined)?.message;
      this.#log.warn({ provider: this.name, reason: `${message}: ${reason ?? '-'}` }, 'login provider failed');
      throw new ConsoleRefusal('provider_unavailable', this.name);
    }
  }
}

function readAttempt(attempt: string): z.infer<typeof Attempt> {
  try {
    return Attempt.parse(JSON.parse(Buffer.from(attempt, 'base64url').toString()));
  } catch {
    throw new ConsoleRefusal('provider_attempt_unknown');
  }
}

/** Throws the refusal that an answer of the provider means; rethrows the failure of a provider that doesn't work. */
function refuse(error: unknown): never {
  if (error instanceof oidc.AuthorizationResponseError) {
    throw new ConsoleRefusal('provider_refused', /^[\w.-]{1,64}$/.test(error.error) ? error.error : 'an error');
  }
  // The code was used, has expired, or is not the provider's.
  const isOfCode = error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant';
  throw isOfCode ? new ConsoleRefusal('provider_attempt_unknown') : error;
}
