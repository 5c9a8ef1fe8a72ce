/** A part of an enterprise's page: its list, from a cursor on. */
export interface EnterprisePart {
  enterpriseGlobalId: string;
  cursor: string | undefined;
  onCursor: (cursor: string | undefined) => void;
}
