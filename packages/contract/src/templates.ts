/** The texts of words in messages: by kind of word, then by word. */
export type Words = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Fills in a template of any language. `{0}` is the first value. `{1:fault}` is a word, whose text `words.fault` may
 * have placeholders too. A part in brackets appears only if its first value is not empty: `[ of customer {1}]`.
 */
export function fillIn(template: string, args: readonly string[], words: Words): string {
  return template
    .replace(/\[([^[\]]*?\{(\d)[^[\]]*)\]/g, (_, part: string, place: string) => (args[Number(place)] ? part : ''))
    .replace(/\{(\d)(?::(\w+))?\}/g, (_, place: string, kind: string | undefined) => {
      const value = args[Number(place)] ?? '';
      const texts = words[kind ?? ''] ?? {};
      return Object.hasOwn(texts, value) ? fillIn(texts[value]!, args, words) : value;
    });
}

/** The English texts of words in messages. Words keep their meaning and values forever, because failures are stored. */
export const english = {
  /** What is wrong with a field; values from `{2}` on. */
  fault: {
    absent_with: 'must be absent if {2} is set',
    array: 'must be an array: [...]',
    at_most: 'must be at most {2}',
    boolean: 'must be true or false',
    control_characters: 'must not contain control characters',
    control_characters_in_lines: 'must not contain control characters other than line breaks',
    cursor: 'must be the nextCursor of a page of this list',
    date: 'must be a number of milliseconds since 1970-01-01 UTC, such as 1798761599000, or an ISO 8601 date, such as "2026-12-31"',
    empty: 'must not be empty',
    event_id: 'must be a string of 1 to 19 decimal digits, such as "2001", or "latest"',
    hidden:
      'must be filled in, because it is hidden here. It is restored only if sequence, customer, asset numbers and product are unchanged',
    id: 'must be a string of 1 to 19 decimal digits, such as "2001"',
    integer: 'must be an integer',
    integer_between: 'must be an integer from {2} to {3}',
    integer_to: 'must be an integer up to {2}',
    invisible_character: 'must not contain the invisible character {2}',
    invisible_text: 'must contain a visible character',
    length: 'must be {2} to {3} characters',
    negative: 'must not be negative',
    no_channel: 'must contain a channel, or be null',
    no_scope: 'must contain a scope',
    number: 'must be a number, such as 12',
    object: 'must be an object: {...}',
    one_of: 'must be one of {2}',
    operator_name: 'must be 1 to 63 lowercase letters and digits, with . _ - only in between',
    required: 'is required',
    spreadsheet: 'must not have a form that a spreadsheet gives to numbers; did you mean {2:digits}?',
    string: 'must be a string, such as "12"',
    time: 'must be a number of milliseconds since 1970-01-01 UTC, such as 1798761599000',
    too_long: 'must be at most {2} characters',
    too_many: 'must contain at most {2} elements',
    too_many_numbers: 'must contain at most {2} asset numbers in all',
    true_or_false: 'must be true or false',
    true_or_absent: 'must be true or absent',
    url_any: 'must start with https:// or http:// and a host name',
    url_fragment: 'must not contain a fragment (#)',
    url_https: 'must start with https:// and a host name; http:// needs a service with WEBHOOK_ALLOW_PRIVATE=true',
    url_user: 'must not contain a user name or a password',
  },
  digits: { all: 'all its digits' },
  /** Why a text is not JSON. */
  json: {
    gzip: 'it is compressed with gzip',
    repeated: 'line {1}, column {2}: this key appears more than once in its object',
    unexpected: 'line {1}, column {2}: expected {3:token}, found {4:token}',
    utf16: 'it is UTF-16',
  },
  token: {
    bracket: '"," or "]"',
    brace: '"," or "}"',
    byte: 'the byte {5}',
    curly_quote: 'the curly quote {5}',
    end: 'the end',
    escape: 'an escape such as \\n',
    key: 'a key in double quotes',
    key_or_brace: 'a key in double quotes or "}"',
    line_break: 'a line break',
    quote: 'a closing quote',
    value: 'a value',
    value_or_bracket: 'a value or "]"',
  },
  /** How large a batch may be. */
  limit: {
    apart: '{2} products and merchandise',
    on_asset: '{2} products and merchandise on one asset',
    text: '{2} MiB of text',
    together: '{2} products and merchandise to change, {2} to revoke from, or {3} on assets to add to',
  },
  /** What is counted in an order or on an asset. */
  counted: {
    attributes: 'extended attributes',
    changes: 'products and merchandise to change',
    contents: 'active products and merchandise',
    grants: 'grants',
    grants_of_assets: 'grants on its assets',
    held: 'products, merchandise and grants on its assets',
  },
  inactive: {
    ever: ': no asset ever had this number',
    now: ': if it was revoked, its history says so',
    of_customer: ' of the customer',
  },
  unassignable: { borrowed_lock: '; it is a borrowed lock' },
  configured: {
    held: 'is already assigned to employee {3}',
    repeated: 'appears more than once in this request',
  },
  /** What the console does not find. */
  kind: {
    active_asset: 'active asset',
    failed_order: 'failed order of this batch',
    login_provider: 'login provider',
  },
  change: { administrator: 'it now has the administrator {1}', channels: 'its channels' },
} as const satisfies Words;

/** A word for what is wrong with a field. */
export type FaultWord = keyof typeof english.fault;

/** Returns what is wrong with a field as the message of a zod check, which can only be a string. */
export function fault(word: FaultWord, ...values: (string | number)[]): string {
  return JSON.stringify([word, ...values.map(String)]);
}
