const FIELD = '"passwords":[';
const TEXT = /"(?:[^"\\]|\\.)*"/y;

/**
 * Replaces each license password in stored orders (JSON written by `orderText`) with `mark`, without parsing them. That
 * is safe: the field name can't occur inside a JSON string, where quotation marks are escaped, so its list always
 * follows.
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
