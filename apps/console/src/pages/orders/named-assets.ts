/** Lists the asset numbers that an order names, as it was sent: each once, in its order. */
export function listNamedAssets(order: unknown): string[] {
  const { assets } = (order ?? {}) as { assets?: readonly { assetNos: readonly string[] }[] };
  return [...new Set((assets ?? []).flatMap(({ assetNos }) => assetNos))];
}
