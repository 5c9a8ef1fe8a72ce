/** An address as operators see it, without the values of its query: some receivers take a secret there. */
export function hideQuery(url: string): string {
  const [address, query] = url.split('?', 2);
  return query === undefined ? address! : `${address}?…`;
}
