/** The search parameters of an address. */
export type Search = { [name: string]: string | undefined };

/**
 * Parses search parameters, without empty ones. All values are strings, because ids have more digits than a number can
 * hold.
 */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries([...new URLSearchParams(search)].filter(([, value]) => value !== ''));
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
