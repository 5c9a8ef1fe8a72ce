/** The search parameters of an address. */
export type Search<Name extends string> = { [Key in Name]?: string | undefined };

/** Declares a page's search parameters: `validateSearch: searchOf('state', 'cursor')`. Drops others and empty ones. */
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

/** Parses search parameters. All values are strings, because ids have more digits than a number can hold. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

/** Writes search parameters. */
export function writeSearch(search: Record<string, unknown>): string {
  const written = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== null && value !== '') written.set(name, String(value));
  }
  const text = written.toString();
  return text === '' ? '' : `?${text}`;
}
