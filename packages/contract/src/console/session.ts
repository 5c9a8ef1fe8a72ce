import { z } from 'zod';
import { text } from '../scalars.ts';
import { consoleTable, OperatorRole } from './operation.ts';
import { password } from './operator-fields.ts';

/** Who is logged in. */
export const Me = z.object({
  operatorId: z.string(),
  name: z.string(),
  role: OperatorRole,
  /** When the session ends whatever its operator does: milliseconds. */
  endTime: z.number(),
});
export type Me = z.infer<typeof Me>;

/** Logging in and out, and the operator's own password. */
export const sessionOperations = consoleTable({
  logIn: {
    method: 'POST',
    path: '/session/log-in',
    role: 'anybody',
    body: z.object({ name: text(), password: z.string().max(255) }),
    data: Me,
    summary: 'Begins a session and sets its cookie.',
  },
  logOut: {
    method: 'POST',
    path: '/session/log-out',
    role: 'viewer',
    data: z.null(),
    summary: 'Ends the session.',
  },
  getMe: { method: 'GET', path: '/session', role: 'viewer', data: Me, summary: 'Who is logged in.' },
  changeOwnPassword: {
    method: 'POST',
    path: '/session/password',
    role: 'viewer',
    body: z.object({ password: z.string().max(255), newPassword: password() }),
    data: Me,
    summary: 'Changes the own password, ends all sessions of the operator and begins a new one.',
  },
});
