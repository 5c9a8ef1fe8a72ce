/** Writes texts as PostgreSQL writes an array, so that each row of a statement can have one of its own. */
export function writeArray(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
