const FIELD = '"passwords":[';
/** A text of JSON. */
const TEXT = /"(?:[^"\\]|\\.)*"/y;

/**
 * Puts `mark` in the place of each password of the licenses in stored orders, which are JSON as `orderText` writes it.
 * They may be 32 MiB, so the text is not parsed: what follows the field in a text of JSON always is its list, because a
 * quotation mark inside of a text is escaped.
 */
export function markPasswords(orders: string, mark: string): string {
  const written = JSON.stringify(mark);
  let marked = '';
  let from = 0;
  for (let at = orders.indexOf(FIELD); at >= 0; at = orders.indexOf(FIELD, from)) {
    let end = at + FIELD.length;
    marked += orders.slice(from, end);
    while (orders[end] === '"') {
      TEXT.lastIndex = end;
      TEXT.test(orders);
      marked += written;
      end = TEXT.lastIndex;
      if (orders[end] === ',') {
        marked += ',';
        end++;
      }
    }
    from = end;
  }
  return marked + orders.slice(from);
}
