/** Returns the path of a field as messages give it, such as `orderList[3].customerId`. Quotes and escapes odd names. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => {
      if (typeof key === 'number') return `[${key}]`;
      if (/[^\w$]/.test(String(key))) return `[${JSON.stringify(String(key))}]`;
      return index === 0 ? String(key) : `.${String(key)}`;
    })
    .join('');
}
