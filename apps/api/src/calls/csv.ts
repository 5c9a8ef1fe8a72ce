import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';

/** A column of a CSV file: the path of a field in a row. */
interface Column {
  path: readonly string[];
  /** Whether it has a time, which a second column repeats in ISO 8601. */
  isTime: boolean;
  /** Of a list of objects that each begin with a word of a fixed set: the field of that word, which stands for them. */
  word?: string;
}

const TIME = /^(time|since|until)$|(Time|Date)$/;

/** Returns a function that formats rows as CSV, with the fields of their schema as columns (rules 1.1). */
export function csvOf(row: z.ZodType): (rows: readonly unknown[], isFirst: boolean) => string {
  const columns = columnsOf(row);
  const heading = columns.flatMap(({ path, isTime }) => {
    const name = path.join('.');
    return isTime ? [name, `${name}Iso`] : [name];
  });
  return (rows, isFirst) => {
    const records = rows.map((each) => columns.flatMap((column) => cellsOf(each, column)));
    // The library itself quotes line breaks only if they are those between records.
    const format = { record_delimiter: 'windows', quoted_match: /[\r\n]/, bom: isFirst };
    return stringify(isFirst ? [heading, ...records] : records, format);
  };
}

/** Returns the columns of a schema. The options of a union, such as a product or merchandise, share them. */
function columnsOf(schema: z.ZodType, path: readonly string[] = []): Column[] {
  const core = unwrap(schema);
  if (core instanceof z.ZodObject) {
    return Object.entries(core.shape).flatMap(([name, field]) => columnsOf(field as z.ZodType, [...path, name]));
  }
  const columns =
    core instanceof z.ZodUnion ? core.options.flatMap((option) => columnsOf(option as z.ZodType, path)) : [];
  const fields = columns.filter((column) => column.path.length > path.length);
  if (fields.length > 0) return [...new Map(fields.map((column) => [column.path.join('.'), column])).values()];
  if (core instanceof z.ZodArray) return [{ path, isTime: false, ...findWord(core.element as z.ZodType) }];
  const isNumber = core instanceof z.ZodNumber || columns.some(({ isTime }) => isTime);
  return [{ path, isTime: isNumber && TIME.test(path.at(-1) ?? '') }];
}

function findWord(element: z.ZodType): Pick<Column, 'word'> {
  const core = unwrap(element);
  const [[name, field] = []] = core instanceof z.ZodObject ? Object.entries(core.shape) : [];
  return field !== undefined && unwrap(field as z.ZodType) instanceof z.ZodEnum ? { word: name! } : {};
}

/** Removes what does not change the fields of a schema: whether it is optional, and how it is read. */
function unwrap(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodPipe) {
    return unwrap((schema.out instanceof z.ZodTransform ? schema.in : schema.out) as z.ZodType);
  }
  const inner = 'innerType' in schema.def ? (schema.def.innerType as z.ZodType) : undefined;
  return inner === undefined ? schema : unwrap(inner);
}

function cellsOf(row: unknown, { path, isTime, word }: Column): string[] {
  const value = path.reduce<unknown>((of, name) => (of as Record<string, unknown> | null | undefined)?.[name], row);
  if (word !== undefined && Array.isArray(value)) return [cellOf(value.map((each) => each[word]))];
  if (!isTime) return [cellOf(value)];
  return [cellOf(value), typeof value === 'number' ? new Date(value).toISOString() : ''];
}

/** What a spreadsheet takes for a formula, a date or a power of ten, and digits that it would round or shorten. */
const CHANGED_BY_SPREADSHEETS = /^[=+\-@\t\r]|^(0\d+|\d{16,}|\d+e\d+|\d{1,4}([-/.]\d{1,4}){1,2})$/i;

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const isList = Array.isArray(value) && value.every((each) => typeof each !== 'object' || each === null);
  const text = typeof value === 'string' ? value : isList ? value.join(' ') : JSON.stringify(value);
  return CHANGED_BY_SPREADSHEETS.test(text) ? `'${text}` : text;
}
