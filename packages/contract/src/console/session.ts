import { z } from 'zod';
import { text } from '../scalars.ts';
import { fault } from '../templates.ts';
import { MAX_NEXT, OPERATOR_NAME, OPERATOR_PASSWORD } from '../words.ts';
import { type ConsoleOperation, get, OperatorRole, post } from './operation.ts';

/** A password to compare. A character has up to four UTF-16 units until it is composed. */
const sentPassword = z.string().max(4 * OPERATOR_PASSWORD.maxCharacters);

/** The schema of an operator's new password. Its characters are counted as they are hashed (rules 4). */
function password() {
  const { minCharacters, maxCharacters } = OPERATOR_PASSWORD;
  const rule = fault('length', minCharacters, maxCharacters);
  return z.string(rule).refine((value) => {
    const { length } = [...value.normalize('NFC')];
    return length >= minCharacters && length <= maxCharacters;
  }, rule);
}

/** The name of an operator, for logging in and in the audit log. */
export const OperatorName = z.string().regex(OPERATOR_NAME, fault('operator_name'));

export const Me = z.object({
  operatorId: z.string(),
  name: z.string(),
  role: OperatorRole,
  channels: z.array(z.string()).nullable().describe('The channels that the operator is limited to; null: all.'),
  byProvider: z.boolean().describe('Whether they log in by the provider, without a password.'),
  endTime: z.number().describe('When the session ends at the latest, in milliseconds.'),
});
export type Me = z.infer<typeof Me>;

export const sessionOperations = {
  logIn: { ...post('/session/log-in', 'anybody'), body: z.object({ name: text(), password: sentPassword }), data: Me },
  logInByLink: {
    ...post('/session/log-in-by-link', 'anybody'),
    body: z.object({ token: z.string().max(255) }),
    data: Me,
  },
  /** Begins a login by the provider (rules 9). Returns the provider's address, to which the page then goes. */
  beginProviderLogIn: {
    ...post('/session/provider/begin', 'anybody'),
    body: z.object({ next: z.string().max(MAX_NEXT).describe('The page to return to; it may be empty.') }),
    data: z.object({ url: z.string() }),
  },
  /** Logs in with the parameters with which the provider sent the browser back. */
  logInByProvider: {
    ...post('/session/provider/log-in', 'anybody'),
    body: z.object({ search: z.string().max(8_192) }),
    data: z.object({ me: Me, next: z.string() }),
  },
  logOut: { ...post('/session/log-out', 'viewer'), data: z.null() },
  getMe: { ...get('/session'), data: Me },
  /** Changes the operator's password, ends all their sessions and starts a new one. */
  changeOwnPassword: {
    ...post('/session/password', 'viewer'),
    body: z.object({ password: sentPassword, newPassword: password() }),
    data: Me,
  },
} satisfies Record<string, ConsoleOperation>;
