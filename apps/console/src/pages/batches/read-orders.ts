/** What a text holds: a list of orders, as far as that can be told here, or what is wrong with it. */
export type ReadOrders = { orders: unknown[]; fault: null } | { orders: null; fault: string };

/** Reads the text of an editor. `notJson` and `notList` are said where it is neither. */
export function readOrders(text: string, words: { notJson: string; notList: string }): ReadOrders {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { orders: null, fault: `${words.notJson}: ${(error as Error).message}` };
  }
  if (!Array.isArray(value)) return { orders: null, fault: words.notList };
  return { orders: value, fault: null };
}
