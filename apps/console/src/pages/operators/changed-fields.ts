/** A changed field with its values before and after; undefined if it did not exist. */
export interface ChangedField {
  name: string;
  before: unknown;
  after: unknown;
}

/** Returns the changed fields of an entry. A value that is not an object gets an empty name. */
export function listChanged(before: unknown, after: unknown): ChangedField[] {
  if (!isObjectOrNull(before) || !isObjectOrNull(after)) return [{ name: '', before, after }];
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].map((name) => ({ name, before: before?.[name], after: after?.[name] }));
}

function isObjectOrNull(value: unknown): value is Record<string, unknown> | null {
  return value === null || (typeof value === 'object' && !Array.isArray(value));
}
