const MAX_ID = 9_223_372_036_854_775_807n;

/** Whether a client's digits can be an id of ours at all: as we write them, and within 63 bits. */
export function isId(digits: string): boolean {
  return !digits.startsWith('0') && BigInt(digits) <= MAX_ID;
}
