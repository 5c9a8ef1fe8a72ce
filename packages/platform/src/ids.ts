const MAX_ID = 9_223_372_036_854_775_807n;
const DIGITS = /^[1-9]\d{0,18}$/;

/** Whether what a client sends can be an id of ours at all: digits as we write them, within 63 bits. */
export function isId(text: string): boolean {
  return DIGITS.test(text) && BigInt(text) <= MAX_ID;
}
