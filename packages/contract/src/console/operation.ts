import { z } from 'zod';
import type { CalledOperation } from '../operations/operation.ts';
import type { Route } from '../routes.ts';
import { byCursor } from '../routes.ts';
import { OPERATOR_ROLES } from '../words.ts';

/** The paths of the console and its operations (rules 9). */
export const CONSOLE_ROOT = '/console';
export const CONSOLE_API_ROOT = `${CONSOLE_ROOT}/api`;

export const OperatorRole = z.enum(OPERATOR_ROLES);
export type OperatorRole = z.infer<typeof OperatorRole>;

/** Whether a role includes the required one. */
export function includesRole(role: OperatorRole, least: OperatorRole): boolean {
  return OperatorRole.options.indexOf(role) >= OperatorRole.options.indexOf(least);
}

/** An operation of the console, under CONSOLE_API_ROOT. Only the console's pages call it. */
export interface ConsoleOperation extends CalledOperation {
  method: 'GET' | 'POST';
  /** The required role; `anybody`: no login is needed. */
  role: OperatorRole | 'anybody';
  /** The `data` of a success; for a download, the content of the file. */
  data: z.ZodType;
  /** Set if the answer is a file. */
  isDownload?: true;
}

/** The route of an operation that changes nothing, with the least role that may call it. */
export const get = (path: Route['path'], role: OperatorRole = 'viewer') => ({ method: 'GET' as const, path, role });

/** Does the same for an operation that has a body or changes something. */
export const post = (path: Route['path'], role: ConsoleOperation['role']) => ({ method: 'POST' as const, path, role });

/** Returns `get` and `post` for operations on one thing, which `params` in `root` name. Their paths follow `root`. */
export const on = <Params extends z.ZodObject>(root: Route['path'], params: Params) => ({
  get: (path: Route['path'] | '' = '', role?: OperatorRole) => ({ ...get(`${root}${path}`, role), params }),
  post: (path: Route['path'], role: OperatorRole) => ({ ...post(`${root}${path}`, role), params }),
});

/** What a list declares that pages by cursor: its rows, which are in this field. */
export function pagesOf<const Field extends string, Row extends z.ZodType>(field: Field, row: Row) {
  const rows = { [field]: z.array(row) } as Record<Field, z.ZodArray<Row>>;
  return { list: byCursor(field), data: z.object({ ...rows, nextCursor: z.string().nullable() }) };
}
