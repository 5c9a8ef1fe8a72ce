import { isDeepStrictEqual } from 'node:util';
import type { ApiDocument } from '../reference/openapi-document.ts';
import type { Schema } from '../reference/openapi-schemas.ts';
import { code, linkTo, renderTable, wrapLines } from './reference-text.ts';

type ObjectSchema = Schema & { required?: string[] };

/** An enum of at most this many values is shown where it is used, without a section of its own. */
const MAX_INLINE_WORDS = 4;
/** A schema that shares at least this part of its fields with an earlier one is described by the difference. */
const MIN_SHARED = 0.5;
const MIN_SHARED_FIELDS = 3;
/** Separates the possible types of a value. Escaped for tables. */
const OR = '\\|';
/** How a description says that a number is a time. The reference shows it as a type instead. */
const TIME = /(:|\.) milliseconds since 1970-01-01 UTC(?=[.,;])/i;
/** A shorter description of a schema adds nothing to its name. */
const MIN_DESCRIPTION_WORDS = 11;
const FILLERS = ['a', 'an', 'the', 'of', 'its', 'this', 'in', 'is', 'whether', 'it', 's'];
/** Words that mean the same as a part of a name. */
const SYNONYMS: Record<string, string> = { num: 'number', nos: 'numbers', member: 'employee' };
const TIME_FIELD = /(Time|Date|Since|From|To)$/;
const PREFIX = '#/components/schemas/';

/** Renders the types of the reference, and each named schema once, where it is first used. */
export class SchemaSections {
  readonly #schemas: Record<string, ObjectSchema>;
  readonly #seen = new Set<string>();
  readonly #described: string[] = [];
  #new: string[] = [];

  constructor(document: ApiDocument) {
    this.#schemas = (document.components?.schemas ?? {}) as Record<string, ObjectSchema>;
  }

  /** Returns the schema that a reference names. Throws an Error if there is none. */
  resolve(schema: Schema): ObjectSchema {
    if (schema.$ref === undefined) return schema;
    const found = this.#schemas[schema.$ref.slice(PREFIX.length)];
    if (found === undefined) throw new Error(`The description has no schema ${schema.$ref}`);
    return found;
  }

  /** Returns the type of a field as Markdown, with a link to the section of a named schema. */
  typeOf(schema: Schema, field = ''): string {
    if (schema.$ref !== undefined) return this.#typeOfNamed(schema.$ref.slice(PREFIX.length));
    if (schema.enum !== undefined) return listWords(schema.enum);
    if (schema.items !== undefined) return `${this.typeOf(schema.items)}[]`;
    if (schema.oneOf !== undefined) return schema.oneOf.map((each) => this.typeOf(each)).join(OR);
    const isTime = TIME.test(schema.description ?? '') || TIME_FIELD.test(field);
    const types = [schema.type ?? 'any'].flat();
    return types
      .map((type) =>
        type === 'integer' ? (isTime && schema.format === 'int64' ? 'time' : (schema.format ?? type)) : type,
      )
      .join(OR);
  }

  #typeOfNamed(name: string): string {
    if (name === 'Cause') return '[Cause](#causes)';
    const schema = this.resolve({ $ref: `${PREFIX}${name}` });
    if (schema.properties === undefined && schema.oneOf === undefined) {
      if (schema.enum === undefined) return this.typeOf(schema);
      if (schema.enum.length <= MAX_INLINE_WORDS) return listWords(schema.enum);
    }
    if (!this.#seen.has(name)) {
      this.#seen.add(name);
      this.#new.push(name);
    }
    return linkTo(name);
  }

  /** Returns the sections of the schemas that were first named since the last call, and of those that they name. */
  takeNew(): string[] {
    const sections: string[] = [];
    for (let name = this.#new.shift(); name !== undefined; name = this.#new.shift()) {
      sections.push(this.#render(name));
      this.#described.push(name);
    }
    return sections;
  }

  #render(name: string): string {
    const schema = this.#schemas[name]!;
    const { description = '', properties, oneOf, enum: values } = schema;
    const parts = [`#### ${name}`];
    if (properties === undefined) {
      const choice =
        values === undefined ? (oneOf ?? []).map((each) => this.typeOf(each)).join(' or ') : listWords(values);
      return [...parts, wrapLines(`${description} One of ${choice}.`)].join('\n\n');
    }
    const base = this.#findBase(schema);
    const own = Object.keys(properties).filter((field) => base === undefined || !this.#isShared(schema, base, field));
    const rows = own.map((field) => {
      const meaning = describeField(properties[field]!);
      const shown = restates(meaning, `${field} ${name}`) ? '' : meaning;
      return [nameField(field, schema.required?.includes(field)), this.typeOf(properties[field]!, field), shown];
    });
    const words = description.split(' ').length < MIN_DESCRIPTION_WORDS ? '' : description;
    const introduction = wrapLines([words, this.#describeBase(schema, base, own)].join(' '));
    if (introduction !== '') parts.push(introduction);
    if (rows.length > 0) parts.push(renderTable(['Field', 'Type', 'Meaning'], rows));
    return parts.join('\n\n');
  }

  #describeBase({ properties = {} }: ObjectSchema, base: string | undefined, own: string[]): string {
    if (base === undefined) return '';
    const absent = Object.keys(this.#schemas[base]!.properties!).filter((field) => !(field in properties));
    const without = absent.length === 0 ? '' : `, without ${absent.map(code).join(', ')}`;
    return `Has the fields of ${linkTo(base)}${without}${own.length === 0 ? '' : ', and these'}.`;
  }

  /** Returns the described schema that shares the most fields with this one, if it shares enough. */
  #findBase(schema: ObjectSchema): string | undefined {
    const fields = Object.keys(schema.properties ?? {});
    const candidates = this.#described
      .filter((name) => this.#schemas[name]!.properties !== undefined)
      .map((name) => {
        const shared = fields.filter((field) => this.#isShared(schema, name, field)).length;
        const all = Object.keys(this.#schemas[name]!.properties!).length;
        return { name, shared, share: shared / Math.max(fields.length, all) };
      })
      .filter(({ shared, share }) => shared >= MIN_SHARED_FIELDS && share >= MIN_SHARED);
    return candidates.sort((one, other) => other.share - one.share)[0]?.name;
  }

  #isShared(schema: ObjectSchema, base: string, field: string): boolean {
    const other = this.#schemas[base]!;
    const isRequired = (each: ObjectSchema) => each.required?.includes(field) ?? false;
    return (
      other.properties?.[field] !== undefined &&
      isRequired(schema) === isRequired(other) &&
      isDeepStrictEqual(schema.properties![field], other.properties[field])
    );
  }
}

/** Returns a field as the reference shows it; with a question mark if it is optional. */
export function nameField(name: string, isRequired = false): string {
  return code(isRequired ? name : `${name}?`);
}

/** Whether a description only repeats words of a name, such as "Name of the product" for productName. */
export function restates(description: string, name: string): boolean {
  const split = (text: string) => text.toLowerCase().match(/[a-z]+/g) ?? [];
  const parts = split(name.replace(/(?=[A-Z])/g, ' '));
  const known = new Set([...parts, ...parts.map((part) => SYNONYMS[part] ?? part), ...FILLERS]);
  return split(description).every((word) => known.has(word));
}

/** Returns the description of a field or parameter, without what its type already says. */
export function describeField({ type, description = '' }: Schema): string {
  return [type].flat().includes('integer') ? description.replace(TIME, '') : description;
}

function listWords(words: unknown[]): string {
  return words.map((word) => (word === null ? 'null' : code(String(word)))).join(', ');
}
