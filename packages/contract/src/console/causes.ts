import { quote } from '../causes.ts';
import { english, fillIn } from '../templates.ts';

/**
 * The causes for which only the console refuses a call; it also uses those of the interface (`causes`). `status` is
 * both the HTTP status and the code of the answer. `message` is the English template (see fillIn) and may change.
 */
export const consoleCauses = {
  not_logged_in: { status: 401, message: 'You are not logged in, or your session has ended. Log in again.' },
  login_failed: {
    status: 401,
    message:
      'The name or the password is wrong, or the account is disabled or locked. Ten failed attempts lock it for five ' +
      'minutes.',
  },
  log_in_link_invalid: {
    status: 401,
    message:
      'This login link was already used or has expired. Log in with your password, or restart npm start for a new link.',
  },
  password_log_in_off: { status: 403, message: 'Logging in by password is switched off. Log in with the provider.' },
  provider_unavailable: {
    status: 503,
    message:
      'The login provider {0} does not respond correctly. Try again later, or ask an admin to check its settings.',
  },
  provider_attempt_unknown: {
    status: 401,
    message: 'This login was already completed, has expired, or began in another browser. Log in again.',
  },
  provider_refused: { status: 401, message: 'The login provider refused the login with {0}.' },
  provider_without_role: {
    status: 403,
    message: 'Your account at the login provider is in no group with access to this console. Ask an admin to add you.',
  },
  provider_name_unusable: {
    status: 403,
    message:
      'Your user name at the login provider, {0}, is not usable here. Ask an admin for one of 1 to 63 letters and digits, ' +
      'with . _ - in between.',
  },
  provider_name_taken: {
    status: 409,
    message:
      '{0} is the name of another operator. If it is your account, ask an admin to link it to the login provider.',
  },
  operator_disabled: { status: 403, message: 'Your account here is disabled. Ask an admin to enable it.' },
  role_by_provider: {
    status: 409,
    message: '{0} gets the role from groups of the login provider at each login. Change the groups instead.',
  },
  password_wrong: { status: 403, message: 'Your current password is incorrect.' },
  role_missing: { status: 403, message: 'You need the role {0}; yours is {1}.' },
  channels_missing: {
    status: 403,
    message: 'This also concerns channels that you are not assigned to. Ask an operator who sees all channels.',
  },
  request_forged: { status: 403, message: 'The request did not come from this console.' },
  not_found: { status: 404, message: 'There is no {0:kind} {1}.' },
  changed_meanwhile: { status: 409, message: 'This has changed since you loaded it: {0:change}. Reload the page.' },
  name_taken: { status: 409, message: 'An operator named {0} already exists.' },
  batch_not_completed: {
    status: 409,
    message:
      'Batch {0} is not completed: {1} orders are pending and may still fail. Wait until it is completed, or cancel them.',
  },
  nothing_failed: { status: 409, message: 'Batch {0} has no failed orders.' },
  too_large_to_edit: {
    status: 413,
    message:
      'The failed orders take {0} bytes; you can edit up to {1} here. Use lockstep batch failed and lockstep batch retry ' +
      '--file instead.',
  },
  last_admin: { status: 409, message: 'You cannot disable or demote the last active admin.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ConsoleCause = keyof typeof consoleCauses;

/** A refusal by the console. The console API answers with the HTTP status of the cause. */
export class ConsoleRefusal extends Error {
  readonly reason: ConsoleCause;
  /** The values of the message. */
  readonly args: readonly string[];

  constructor(reason: ConsoleCause, ...args: readonly string[]) {
    super(fillIn(consoleCauses[reason].message, quote(args), english));
    this.name = 'ConsoleRefusal';
    this.reason = reason;
    this.args = quote(args);
  }
}
