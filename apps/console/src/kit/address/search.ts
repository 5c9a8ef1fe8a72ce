/** What stands behind the `?` of an address: texts by name. */
export type Search<Name extends string> = { [Key in Name]?: string | undefined };

/**
 * Says which texts a page reads from its address: `validateSearch: searchOf('state', 'cursor')`. Others, and empty
 * ones, are dropped.
 */
export function searchOf<const Name extends string>(
  ...names: Name[]
): (given: Record<string, unknown>) => Search<Name> {
  return (given) => {
    const known = names
      .map((name) => [name, given[name]] as const)
      .filter((entry): entry is [Name, string] => typeof entry[1] === 'string' && entry[1] !== '');
    return Object.fromEntries(known) as Search<Name>;
  };
}

/** Reads an address's search part. All values are texts: ids have more digits than a number keeps. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

/** Writes an address's search part. */
export function writeSearch(search: Record<string, unknown>): string {
  const written = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== null && value !== '') written.set(name, String(value));
  }
  const text = written.toString();
  return text === '' ? '' : `?${text}`;
}
