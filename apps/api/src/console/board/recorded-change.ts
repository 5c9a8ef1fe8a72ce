import { type Operator, recordChange } from '@lockstep/operators';
import type { Database } from '@lockstep/platform';
import type { FastifyRequest } from 'fastify';
import { limitToCall } from '../../deadlines.ts';
import type { BoardAnswer } from './board.ts';

/** A change of the queue that an operator asks for. */
interface AskedChange {
  operator: Operator;
  /** The path behind the board's root: it names the queue and the job. */
  path: string;
  /** Makes it. Calls `onBegun` when it begins: from then on the queue may have changed. */
  make: (onBegun: () => void) => Promise<BoardAnswer>;
}

/**
 * Makes a change of the queue, with an entry of the record before it and one after it: the queue has no transaction that the
 * record could share. Without the first entry nothing is changed; the second one says what became of it, also where nobody
 * knows.
 */
export async function makeRecorded(
  request: FastifyRequest,
  db: Database,
  { operator, path, make }: AskedChange,
): Promise<BoardAnswer> {
  const { method, body, params } = request;
  const { queueName = null, jobId = null } = params as Record<string, string>;
  const asked = { method, queue: queueName, jobId, body: body ?? null };
  const record = (on: Database, action: string, after: unknown) =>
    recordChange(on, operator, { action, target: path, before: null, after });
  await record(limitToCall(request, db), 'queue.change_asked', asked);
  let hasBegun = false;
  let answer: BoardAnswer;
  try {
    answer = await make(() => {
      hasBegun = true;
    });
  } catch (error) {
    await record(db, hasBegun ? 'queue.change_unknown' : 'queue.change_failed', { ...asked, status: null }).catch(
      (recordError: unknown) => request.log.error({ err: recordError }, 'what became of a change is not recorded'),
    );
    throw error;
  }
  const { status } = answer;
  // On a connection without the call's deadline: the change is made, however long it took.
  await record(db, status < 400 ? 'queue.changed' : 'queue.change_failed', { ...asked, status });
  return answer;
}
