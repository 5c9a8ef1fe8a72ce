/** The orders in a text, not validated, or what is wrong with the text. */
export type ReadOrders = { orders: unknown[]; fault: null } | { orders: null; fault: string };

/** Parses the editor's text into orders, or returns a fault from `words`. */
export function readOrders(text: string, words: { notJson: string; notList: string; colon: string }): ReadOrders {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { orders: null, fault: `${words.notJson}${words.colon}${(error as Error).message}` };
  }
  if (!Array.isArray(value)) return { orders: null, fault: words.notList };
  return { orders: value, fault: null };
}
