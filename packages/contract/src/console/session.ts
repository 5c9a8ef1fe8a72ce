import { z } from 'zod';
import { text } from '../scalars.ts';
import { consoleTable, OperatorRole } from './operation.ts';

/** The shortest and longest password that an operator may choose. */
export const OPERATOR_PASSWORD = { minCharacters: 12, maxCharacters: 128 };

/** A new password of an operator. */
function password() {
  const { minCharacters, maxCharacters } = OPERATOR_PASSWORD;
  const rule = `must be ${minCharacters} to ${maxCharacters} characters`;
  return z.string(rule).refine((value) => value.length >= minCharacters && value.length <= maxCharacters, rule);
}

/** The name of an operator: with it they log in, and it stands in the record of what they changed. */
export const OperatorName = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/,
    'must be 1 to 63 lowercase letters and digits, with . _ - only in between',
  );

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
  logInByLink: {
    method: 'POST',
    path: '/session/log-in-by-link',
    role: 'anybody',
    body: z.object({ token: z.string().max(255) }),
    data: Me,
    summary: 'Uses up the token of a log-in link, begins a session and sets its cookie.',
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
