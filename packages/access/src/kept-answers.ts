import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { type ApplicationId, type EnterpriseId, Refusal } from '@lockstep/contract';
import { type Database, inTransaction, Overload, run, type Trx, untilConfirmed } from '@lockstep/platform';
import { hashSecret } from './secrets.ts';

/** How many answers an application can keep (rules 1.2). */
const MAX_KEPT = 100_000;

/** Whether a header is an Idempotency-Key (rules 1.2). */
export const isKey = (header: unknown): header is string => typeof header === 'string' && /^[!-~]{8,255}$/.test(header);

/** The caller to whom a key belongs: an application, in the member center with an enterprise. */
export interface KeyOwner {
  applicationId: ApplicationId;
  enterpriseId?: EnterpriseId;
}

interface KeyedCall extends KeyOwner {
  key: string;
  /** What a repeat must equal: operation, path, query and body. */
  call: string;
}

/**
 * Returns the body that answered a call with this key in the last 24 hours, or else that of `answer`, which makes the
 * change in the given transaction. Key, change and answer are committed together (rules 1.2). A concurrent call with
 * the key waits for this one. An answer that changes nothing (`isKept` false) leaves the key free.
 *
 * Throws what `answer` throws, which leaves the key free; a Refusal, idempotency_key_reused, if the key belongs to
 * another call; an Overload if the application keeps too many answers.
 */
export function answerOnce(
  db: Database,
  keyed: KeyedCall,
  answer: (trx: Trx) => Promise<{ body: string; isKept: boolean }>,
): Promise<string> {
  const { applicationId, enterpriseId = '', key } = keyed;
  const id = [applicationId, hashSecret(`${enterpriseId} ${key}`)];
  return inTransaction(db, async (trx) => {
    const [taken] = await run(trx, { name: 'take_key', text: TAKE_KEY, values: id });
    if (taken === undefined) {
      // A statement of its own, so that it sees what the call that it waited for has committed.
      const [kept] = await run<{ sealed: Buffer }>(trx, { name: 'read_kept', text: READ_KEPT, values: id });
      if (kept === undefined) throw new Overload(`the application keeps ${MAX_KEPT} answers`);
      await untilConfirmed(trx);
      return unseal(kept.sealed, keyed);
    }
    const { body, isKept } = await answer(trx);
    if (isKept) await run(trx, { name: 'keep_answer', text: KEEP_ANSWER, values: [...id, seal(body, keyed)] });
    else await run(trx, { name: 'free_key', text: FREE_KEY, values: id });
    return body;
  });
}

const OF_KEY = 'where application_id = $1 and key_hash = $2';
const READ_KEPT = `select sealed from kept_answer ${OF_KEY}`;
const KEEP_ANSWER = `update kept_answer set sealed = $3 ${OF_KEY}`;
const FREE_KEY = `delete from kept_answer ${OF_KEY}`;
/** Returns a row if the key is free, or its day is over. A key that has a row needs no room for another answer. */
const TAKE_KEY = `
  insert into kept_answer (application_id, key_hash)
  select $1, $2 where (
    select count(*) from (select from kept_answer where application_id = $1 limit ${MAX_KEPT}) as kept
  ) < ${MAX_KEPT} or exists (select from kept_answer ${OF_KEY})
  on conflict (application_id, key_hash) do update set sealed = null, kept_time = excluded.kept_time
    where kept_answer.kept_time <= excluded.kept_time - interval '24 hours'
  returning true as taken`;

/** The first byte of a sealed answer: the version of its form, and of the form of its call. */
const VERSION = 1;
const [SALT_BYTES, SECRET_BYTES, IV_BYTES, TAG_BYTES] = [16, 32, 12, 16];

/** Returns the cipher's secret and IV for one answer, so that only a caller with the key can read it. */
function derive(key: string, salt: Buffer): [secret: Buffer, iv: Buffer] {
  const derived = Buffer.from(hkdfSync('sha256', key, salt, 'kept answer', SECRET_BYTES + IV_BYTES));
  return [derived.subarray(0, SECRET_BYTES), derived.subarray(SECRET_BYTES)];
}

function seal(body: string, { key, call }: KeyedCall): Buffer {
  const salt = randomBytes(SALT_BYTES);
  // The call is authenticated but not stored: even its hash could reveal a password in it.
  const cipher = createCipheriv('aes-256-gcm', ...derive(key, salt)).setAAD(Buffer.from(call));
  const encrypted = Buffer.concat([cipher.update(body, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), salt, cipher.getAuthTag(), encrypted]);
}

/**
 * Throws a Refusal, idempotency_key_reused, if the call is not the one that was answered; an Overload if a newer
 * release kept the answer.
 */
function unseal(versioned: Buffer, { key, call }: KeyedCall): string {
  if (versioned[0] !== VERSION) throw new Overload(`the answer has version ${versioned[0]}`);
  const sealed = versioned.subarray(1);
  const tagEnd = SALT_BYTES + TAG_BYTES;
  const options = { authTagLength: TAG_BYTES };
  const decipher = createDecipheriv('aes-256-gcm', ...derive(key, sealed.subarray(0, SALT_BYTES)), options)
    .setAAD(Buffer.from(call))
    .setAuthTag(sealed.subarray(SALT_BYTES, tagEnd));
  try {
    return decipher.update(sealed.subarray(tagEnd), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    throw new Refusal('idempotency_key_reused');
  }
}
