import { type RawBuilder, sql } from 'kysely';

/** The last character that there is: no name goes on with it. */
const LAST_CHARACTER = '\u{10FFFF}';

/** A name as the indexes of enterprises and customers hold it: folded, and compared by its characters. */
export const folded = (name: RawBuilder<unknown>) => sql`(casefold(${name} collate pg_unicode_fast) collate "C")`;

/** The condition that a folded column begins with a text, in any case. The index finds it. */
export function beginsWith(column: RawBuilder<unknown>, text: string): RawBuilder<unknown> {
  const prefix = folded(sql`${text}::text`);
  return sql`${column} >= ${prefix} and ${column} < (${prefix} || ${LAST_CHARACTER}::text) collate "C"`;
}
