/** The number in a bigint column, which pg reads as text; ids stay text. */
export function numberOf(column: string | null): number | null {
  return column === null ? null : Number(column);
}
