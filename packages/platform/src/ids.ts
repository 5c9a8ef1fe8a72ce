const MAX_ID = 9_223_372_036_854_775_807n;
const DIGITS = /^[1-9]\d{0,18}$/;

/** Whether a text can be the id of a row: decimal digits without a leading zero, within 63 bits. */
export function isId(text: string): boolean {
  return DIGITS.test(text) && BigInt(text) <= MAX_ID;
}
