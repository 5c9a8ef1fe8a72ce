import { hashSecret, newSecret } from '@lockstep/access';
import { type Database, inTransaction, type Trx } from '@lockstep/platform';
import { sql } from 'kysely';
import { recordChange } from './audit-log.ts';
import type { Actor } from './operator.ts';

/** SQL that ends an operator's link. */
export const NO_LINK = sql`link_token_hash = null, link_expires_time = null`;

/** A link lives as long as an idle session (rules 9, Login link). */
export const LINK_MINUTES = 30;

/**
 * Creates the token of a link that logs an operator in once, and ends their earlier link. Stores only the token's hash.
 * Returns undefined if there is no enabled operator of the name.
 */
export async function createLogInToken(db: Database, name: string, actor: Actor): Promise<string | undefined> {
  return await inTransaction(db, async (trx) => {
    const token = newSecret();
    const { rows } = await sql`
      update operator set link_token_hash = ${hashSecret(token)},
        link_expires_time = statement_timestamp() + make_interval(mins => ${LINK_MINUTES})
      where name = ${name} and disabled_time is null returning id`.execute(trx);
    if (rows.length === 0) return undefined;
    await recordChange(trx, actor, { action: 'operator.link_created', target: name });
    return token;
  });
}

/**
 * Uses up a link's token and returns its operator; undefined if the token was used, has expired or is unknown. Of two
 * calls with one token, the second waits for the first and then finds no token.
 */
export async function useLogInToken(trx: Trx, token: string): Promise<{ id: string; name: string } | undefined> {
  const { rows } = await sql<{ id: string; name: string }>`
    update operator set ${NO_LINK}
    where link_token_hash = ${hashSecret(token)} and link_expires_time > statement_timestamp() and disabled_time is null
    returning id, name`.execute(trx);
  return rows[0];
}
