import { findJsonFault } from '@lockstep/contract/json-fault';

/** The orders in a text, not validated, or what is wrong with the text. */
export type ReadOrders = { orders: unknown[]; fault: null } | { orders: null; fault: string };

/** Parses the editor's text into orders, or returns a fault from `words`. A repeated key is one (rules 4). */
export function readOrders(
  text: string,
  words: { notJson: string; notList: string; colon: string },
  faultWords: (fault: string) => string,
): ReadOrders {
  const fault = findJsonFault(text);
  if (fault !== undefined) return { orders: null, fault: `${words.notJson}${words.colon}${faultWords(fault)}` };
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value)) return { orders: null, fault: words.notList };
  return { orders: value, fault: null };
}
