const UNQUOTED = ['bigint', 'integer', 'int', 'smallint', 'boolean'];
const QUOTED = ['text', 'json', 'jsonb'];
const TO_ESCAPE = /["\\]/;

/**
 * Writes values of a PostgreSQL type as the text of an array. The driver does the same, but takes several times as
 * long. Values of other types than these are returned as they are, for the driver.
 */
export function arrayText(type: string, values: readonly unknown[]): unknown {
  if (UNQUOTED.includes(type)) return `{${values.map((value) => value ?? 'null').join(',')}}`;
  return QUOTED.includes(type) ? textArray(values as (string | null)[]) : values;
}

/** Writes texts as the text of an array, so that each row of a statement can have an array of its own. */
export function textArray(texts: readonly (string | null | undefined)[]): string {
  return `{${texts.map((text) => (text === null || text === undefined ? 'null' : quote(text))).join(',')}}`;
}

const quote = (text: string) => (TO_ESCAPE.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : `"${text}"`);
