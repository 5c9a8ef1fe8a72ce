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

/** Texts that one name may have, for statements whose filters differ. Each costs every connection memory for its plan. */
const MAX_VARIANTS = 8;

/** Reads the first line of a statement. Of the texts with one name only the first ones are prepared; all work. */
export function headOf(text: string): Head {
  if (!text.startsWith('-- ')) return NO_HEAD;
  const known = heads.get(text);
  if (known !== undefined) return known;
  const [, kind, word] = HEAD.exec(text) ?? [];
  if (word === undefined) return NO_HEAD;
  const head = { name: findFreeName(word), isAhead: kind === 'ahead' };
  if (heads.size < MAX_NAMED_TEXTS) heads.set(text, head);
  return head;
}

/** The name itself, or with a number behind it for another text; undefined if there are enough. */
function findFreeName(word: string): string | undefined {
  if (heads.size >= MAX_NAMED_TEXTS) return undefined;
  const taken = new Set([...heads.values()].map(({ name }) => name));
  const variants = Array.from({ length: MAX_VARIANTS }, (_, place) => (place === 0 ? word : `${word}_${place + 1}`));
  return variants.find((variant) => !taken.has(variant));
}

/** The texts of the named statements that this process has sent, with their names. */
export function namedTexts(): [text: string, name: string][] {
  return [...heads].flatMap(([text, { name }]) => (name === undefined ? [] : [[text, name] as [string, string]]));
}
