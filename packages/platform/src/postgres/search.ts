import { type RawBuilder, sql } from 'kysely';
import { type Database, inSnapshot, type Trx } from './database.ts';

/** What encloses each text in the column `searched`. */
const [BEGIN, END] = ['\u0002', '\u0003'];
/** What a search asks for: a whole text, its beginning, or a part. */
type Sought = 'whole' | 'start' | 'part';

/** SQL: a text as it stands in `searched`. A part of one character must be a beginning, since it has no piece. */
function foldedText(text: string, sought: Sought): RawBuilder<string> {
  const isPart = sought === 'part' && [...text.normalize('NFKC')].length > 1;
  return sql`fold_text(${`${isPart ? '' : BEGIN}${text}${sought === 'whole' ? END : ''}`})`;
}

/** SQL: whether a column `searched`, or its first text, contains a text, ignoring case (rules 9). */
export function contains(column: string, text: string, { inFirst = false } = {}): RawBuilder<boolean> {
  const searched = inFirst ? sql`split_part(${sql.ref(column)}, ${END}, 1)` : sql.ref(column);
  return sql`strpos(${searched}, ${foldedText(text, 'part')}) > 0`;
}

/** What to search: rows of a table, or of a subquery that is called as the table is, with a text. */
interface Search {
  table: string;
  rows: RawBuilder<unknown>;
  text: string;
}

const select = ({ table, rows, text }: Search, sought: Sought, limit: number) => {
  const [searched, wanted] = [sql.ref(`${table}.searched`), foldedText(text, sought)];
  return sql`
    select id from ${rows} as ${sql.ref(table)}
    where pieces(${searched}) @> pieces(${wanted}) and strpos(${searched}, ${wanted}) > 0 limit ${limit}`;
};

/** Runs searches by their index: to the planner, reading the table seems cheaper if many rows may match. */
const byIndex = <Result>(db: Database, work: (trx: Trx) => Promise<Result>) =>
  inSnapshot(db, async (trx) => {
    await sql`set local enable_seqscan = off`.execute(trx);
    return await work(trx);
  });

/** The most matches that a list sorts. If there are more, a walk through all rows soon finds some. */
const MAX_MATCHES = 10_000;

/** Returns the ids of the rows that match; null if there are too many. */
export function findMatches(db: Database, search: Search): Promise<string[] | null> {
  return byIndex(db, async (trx) => {
    const { rows } = await sql<{ id: string }>`${select(search, 'part', MAX_MATCHES + 1)}`.execute(trx);
    return rows.length > MAX_MATCHES ? null : rows.map(({ id }) => id);
  });
}

/** Reads at most `limit` rows that match: first those of which a text is the one sought, then begins with it. */
export function readBest<Row extends object>(
  db: Database,
  search: Search & { columns: RawBuilder<unknown>; joins?: RawBuilder<unknown>; limit: number },
): Promise<Row[]> {
  const { table, columns, joins = sql``, limit } = search;
  const ranked = (['whole', 'start', 'part'] as const).map(
    // Some rows of the ranks before come again.
    (sought, rank) =>
      sql`select id, ${rank}::int as rank from (${select(search, sought, (rank + 1) * limit)}) as found`,
  );
  return byIndex(db, async (trx) => {
    const { rows } = await sql<Row>`
      select ${columns} from (
        select id as found_id, min(rank) as rank from (${sql.join(ranked, sql` union all `)}) as ranked
        group by id order by min(rank), id limit ${limit}
      ) as best join ${sql.table(table)} on ${sql.ref(`${table}.id`)} = found_id ${joins} order by rank, found_id`.execute(
      trx,
    );
    return rows;
  });
}
