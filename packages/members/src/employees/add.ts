import type { PasswordTools } from '@lockstep/access';
import {
  type AddedEmployees,
  CLOUD_LICENSE_TYPES,
  codeOf,
  type Employee,
  type NamedEmployee,
  type Refusal,
} from '@lockstep/contract';
import { type Database, inTransaction, type Tables, type Trx } from '@lockstep/platform';
import type { Selectable } from 'kysely';
import { recordChanges } from '../audit.ts';
import { type AdditionFacts, judgeAdditions, MAX_TRIAL_EMPLOYEES } from '../rules/addition.ts';
import {
  type Actor,
  acrossChannels,
  insertEmployees,
  lockEnterprise,
  readCode,
  selectEmployees,
  selectEnterpriseAssets,
} from '../tenant.ts';
import { buildEmployee, recordedFields } from './change.ts';

/** The result of an M1. */
interface Additions {
  data: AddedEmployees;
  /** The refusal of the first employee that failed. */
  firstFailure: Refusal | undefined;
}

/**
 * M1: adds employees to the actor's enterprise; each succeeds or fails alone (interface M1; rules 8). Passwords are
 * hashed before any lock is taken, and only for employees who can be added at that time; the transaction decides again.
 *
 * Throws an Overload; then no employee was added.
 */
export async function addEmployees(
  { db, passwords, signal }: PasswordTools,
  actor: Actor,
  named: readonly NamedEmployee[],
): Promise<Additions> {
  if (named.every(({ employee }) => employee === undefined)) return buildOutcome(named, new Map());
  const promising = judgeAdditions(named, await readAdditionFacts(db, actor, named));
  const hashes = new Map<NamedEmployee, string>();
  const hashing = promising.filter(({ employee }) => employee !== undefined);
  const hashed = await passwords.hashAll(
    hashing.map(({ employee }) => employee!.password),
    { party: `addition ${actor.enterpriseId}`, signal },
  );
  for (const [index, entry] of hashing.entries()) hashes.set(entry, hashed[index]!);
  if (hashing.length === 0) return buildOutcome(promising, new Map());
  return inTransaction(db, async (trx) => {
    await lockEnterprise(trx, actor);
    const facts = await readAdditionFacts(trx, actor, promising);
    const judged = judgeAdditions(promising, facts);
    const inserted = await insertAdditions(trx, actor, judged, hashes);
    return buildOutcome(judged, new Map(inserted.map((row) => [row.user_name, buildEmployee({ ...row, ...facts })])));
  });
}

/** Reads the facts that decide about employees without a Refusal. There must be at least one. */
async function readAdditionFacts(
  db: Database | Trx,
  actor: Actor,
  named: readonly NamedEmployee[],
): Promise<AdditionFacts> {
  const userNames = named.flatMap(({ employee }) => (employee === undefined ? [] : [employee.userName]));
  const taken = await selectEmployees(db, actor).select('user_name').where('user_name', 'in', userNames).execute();
  return {
    code: await readCode(db, actor),
    takenUserNames: new Set(taken.map((row) => row.user_name)),
    room: await countRoom(db, actor),
  };
}

/** Returns how many more employees the enterprise may have: any number with an active cloud license (rules 8). */
async function countRoom(db: Database | Trx, actor: Actor): Promise<number> {
  const cloudLicense = await selectEnterpriseAssets(db, acrossChannels(actor))
    .select('asset.id')
    .where('license_type', 'in', CLOUD_LICENSE_TYPES)
    .limit(1)
    .executeTakeFirst();
  if (cloudLicense !== undefined) return Number.POSITIVE_INFINITY;
  const { count } = await selectEmployees(db, actor)
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('is_provisioned', '=', false)
    .executeTakeFirstOrThrow();
  return MAX_TRIAL_EMPLOYEES - Number(count);
}

/** Inserts the employees without a Refusal, and their audit entries. */
async function insertAdditions(
  trx: Trx,
  actor: Actor,
  judged: NamedEmployee[],
  hashes: Map<NamedEmployee, string>,
): Promise<Selectable<Tables['member']>[]> {
  const rows = judged.flatMap((entry) => {
    const { employee } = entry;
    if (employee === undefined) return [];
    return [
      {
        user_name: employee.userName,
        is_administrator: false,
        is_provisioned: false,
        name: employee.name,
        department_id: employee.departmentId?.toString() ?? null,
        remark: employee.remark ?? null,
        password_mobile: employee.passwordMobile ?? null,
        password_hash: hashes.get(entry)!,
      },
    ];
  });
  if (rows.length === 0) return [];
  const inserted = await insertEmployees(trx, actor, rows);
  const added = { action: 'employee_added', before: null } as const;
  const changes = inserted.map((row) => ({ ...added, targetId: row.id, after: recordedFields(row) }));
  await recordChanges(trx, actor, changes);
  return inserted;
}

function buildOutcome(judged: readonly NamedEmployee[], added: Map<string, Employee>): Additions {
  return {
    data: {
      succeeded: judged.flatMap(({ employee }) => (employee === undefined ? [] : [added.get(employee.userName)!])),
      failed: judged.flatMap(({ userName, refusal }, index) => {
        if (refusal === undefined) return [];
        const { message, reason } = refusal;
        return [{ userName, message, index, cause: reason, code: codeOf(reason, 'member') }];
      }),
    },
    firstFailure: judged.find(({ refusal }) => refusal !== undefined)?.refusal,
  };
}
