/** What the first line of a statement says about it. */
interface Head {
  /** Under which name PostgreSQL keeps it prepared; undefined: it does not. */
  name: string | undefined;
  /** Whether it is sent without waiting for its answer. */
  isAhead: boolean;
}

const HEAD = /^-- (name|ahead): ([a-z_]+)\n/;
const NO_HEAD: Head = { name: undefined, isAhead: false };
/** Far more texts than there are named statements. Beyond it something is wrong, and no more get a name. */
const MAX_NAMED_TEXTS = 200;

const heads = new Map<string, Head>();

/** Reads the first line of a statement. Another text with a name that is taken is not prepared, but still works. */
export function headOf(text: string): Head {
  if (!text.startsWith('-- ')) return NO_HEAD;
  const known = heads.get(text);
  if (known !== undefined) return known;
  const [, kind, word] = HEAD.exec(text) ?? [];
  if (word === undefined) return NO_HEAD;
  const isTaken = heads.size >= MAX_NAMED_TEXTS || [...heads.values()].some(({ name }) => name === word);
  const head = { name: isTaken ? undefined : word, isAhead: kind === 'ahead' };
  if (heads.size < MAX_NAMED_TEXTS) heads.set(text, head);
  return head;
}

/** The texts of the named statements that this process has sent, with their names. */
export function namedTexts(): [text: string, name: string][] {
  return [...heads].flatMap(([text, { name }]) => (name === undefined ? [] : [[text, name] as [string, string]]));
}
