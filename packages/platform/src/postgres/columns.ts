/** Parses a bigint column, which pg reads as text. For numbers and times only: ids stay text. */
export function parseBigint(column: string | null): number | null {
  return column === null ? null : Number(column);
}
