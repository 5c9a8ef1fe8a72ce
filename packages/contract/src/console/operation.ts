import { z } from 'zod';
import type { CalledOperation } from '../operation-parts.ts';
import { OPERATOR_ROLES } from '../words.ts';

/** Where the operations of the console are, and the console itself (rules 9). */
export const CONSOLE_ROOT = '/console';
export const CONSOLE_API_ROOT = `${CONSOLE_ROOT}/api`;

export const OperatorRole = z.enum(OPERATOR_ROLES);
export type OperatorRole = z.infer<typeof OperatorRole>;

/** Whether a role may do what another one, the least that is needed, may. */
export function includesRole(role: OperatorRole, least: OperatorRole): boolean {
  return OperatorRole.options.indexOf(role) >= OperatorRole.options.indexOf(least);
}

/**
 * One operation of the console, behind CONSOLE_API_ROOT: what the browser sends, where, and what it gets. Channels
 * never call these.
 */
export interface ConsoleOperation extends CalledOperation {
  method: 'GET' | 'POST';
  /** The least role that may call it; `anybody`: also who is not logged in. */
  role: OperatorRole | 'anybody';
  /** The `data` of a success; for a `download`, of the file. */
  data: z.ZodType;
  /** Its answer is a file, not an envelope. */
  isDownload?: true;
  /** What it does, in one sentence. */
  summary: string;
}

/** A table of operations, which keeps the type of each. */
export function consoleTable<Table extends Record<string, ConsoleOperation>>(table: Table): Table {
  return table;
}
