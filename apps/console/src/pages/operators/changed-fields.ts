/** A field of something that was changed: what it held before and after. Undefined: it was not there. */
export interface ChangedField {
  name: string;
  before: unknown;
  after: unknown;
}

/**
 * The fields that a change changed, or all that the record holds of it. A value that is no object stands under an empty
 * name.
 */
export function listChanged(before: unknown, after: unknown): ChangedField[] {
  if (!isObjectOrNull(before) || !isObjectOrNull(after)) return [{ name: '', before, after }];
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].map((name) => ({ name, before: before?.[name], after: after?.[name] }));
}

function isObjectOrNull(value: unknown): value is Record<string, unknown> | null {
  return value === null || (typeof value === 'object' && !Array.isArray(value));
}
