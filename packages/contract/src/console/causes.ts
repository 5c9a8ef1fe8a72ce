import { cut } from '../causes.ts';

/**
 * The closed table of the causes for which the console refuses a call, beside those of the interface (`causes`), which
 * keep their words. `status` is the HTTP status and the code of the answer; `message` is for people.
 */
export const consoleCauses = {
  not_logged_in: { status: 401, message: 'You are not logged in, or your session has ended. Log in again.' },
  login_failed: {
    status: 401,
    message:
      'Name or password is wrong, or the account is locked or disabled. After ten failures it is locked for five minutes.',
  },
  log_in_link_invalid: {
    status: 401,
    message:
      'This log-in link has been used or has expired. Log in with your password, or restart npm start for a new link.',
  },
  password_wrong: { status: 403, message: 'The password that you have now is another one.' },
  role_missing: { status: 403, message: 'This needs the role {0}; yours is {1}.' },
  request_forged: { status: 403, message: 'The request does not come from this console.' },
  not_found: { status: 404, message: 'There is no {0} {1}.' },
  changed_meanwhile: { status: 409, message: 'It has changed meanwhile: {0}. Load it again.' },
  name_taken: { status: 409, message: 'There is an operator {0} already.' },
  batch_not_completed: {
    status: 409,
    message: 'Batch {0} is not completed: {1} orders are pending, which may fail too. Wait for it, or cancel them.',
  },
  nothing_failed: { status: 409, message: 'No order of batch {0} has failed: there is nothing to send again.' },
  too_large_to_edit: {
    status: 413,
    message:
      'What the failed orders hold is {0} bytes; here up to {1} can be edited. Use lockstep batch failed and lockstep batch retry --file.',
  },
  last_admin: { status: 409, message: 'The last admin that is enabled must stay one.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ConsoleCause = keyof typeof consoleCauses;

const MAX_QUOTED_CHARACTERS = 1_000;

/** A refusal by the console. Its API answers with the HTTP status of its cause. */
export class ConsoleRefusal extends Error {
  readonly reason: ConsoleCause;

  constructor(reason: ConsoleCause, ...values: string[]) {
    super(
      consoleCauses[reason].message.replace(/\{(\d)\}/g, (_, position: string) =>
        cut(values[Number(position)] ?? '', MAX_QUOTED_CHARACTERS),
      ),
    );
    this.name = 'ConsoleRefusal';
    this.reason = reason;
  }
}
