import {
  type AddedEmployees,
  CLOUD_LICENSE_TYPES,
  type Employee,
  type NamedEmployee,
  type Refusal,
} from '@lockstep/contract';
import { type Database, inTransaction, type Tables, type Trx } from '@lockstep/platform';
import type { Selectable } from 'kysely';
import { judgeAdditions, MAX_TRIAL_EMPLOYEES, type Situation } from './addition-rules.ts';
import { assetsOf, wholeOf } from './asset-scope.ts';
import { recordChanges } from './audit.ts';
import { employeeOf, fieldsOf } from './employee.ts';
import { type Actor, employeesOf, insertEmployees, lockEnterprise, readCode } from './scope.ts';
import type { PasswordTools } from './tools.ts';

/** What became of the employees of an M1, and what the first that failed was refused for. */
export interface Additions {
  data: AddedEmployees;
  firstFailure: Refusal | undefined;
}

/**
 * M1: adds employees to the actor's enterprise; each for itself is added or fails (interface.md M1; decisions 8). Their
 * passwords are hashed in one go, before anything is locked, and only of those who can be added as it looks then.
 *
 * Throws an Overload; then nobody was added.
 */
export async function addEmployees(
  { db, passwords, signal }: PasswordTools,
  actor: Actor,
  named: readonly NamedEmployee[],
): Promise<Additions> {
  if (named.every(({ employee }) => employee === undefined)) return outcomeOf(named, new Map());
  const promising = judgeAdditions(named, await readSituation(db, actor, named));
  const hashes = new Map<NamedEmployee, string>();
  const hashing = promising.filter(({ employee }) => employee !== undefined);
  const hashed = await passwords.hashAll(
    hashing.map(({ employee }) => employee!.password),
    { kind: 'addition', party: actor.enterpriseId, signal },
  );
  for (const [index, entry] of hashing.entries()) hashes.set(entry, hashed[index]!);
  if (hashing.length === 0) return outcomeOf(promising, new Map());
  return inTransaction(db, async (trx) => {
    await lockEnterprise(trx, actor);
    const situation = await readSituation(trx, actor, promising);
    const judged = judgeAdditions(promising, situation);
    const inserted = await insertAdditions(trx, actor, judged, hashes);
    return outcomeOf(judged, new Map(inserted.map((row) => [row.user_name, employeeOf({ ...row, ...situation })])));
  });
}

/** What there is, for those of some employees who can be added; there is one at least. */
async function readSituation(db: Database | Trx, actor: Actor, named: readonly NamedEmployee[]): Promise<Situation> {
  const userNames = named.flatMap(({ employee }) => (employee === undefined ? [] : [employee.userName]));
  const taken = await employeesOf(db, actor).select('user_name').where('user_name', 'in', userNames).execute();
  return {
    code: await readCode(db, actor),
    takenUserNames: new Set(taken.map((row) => row.user_name)),
    room: await roomFor(db, actor),
  };
}

async function roomFor(db: Database | Trx, actor: Actor): Promise<number> {
  const cloudLicense = await assetsOf(db, wholeOf(actor))
    .select('asset.id')
    .where('license_type', 'in', CLOUD_LICENSE_TYPES)
    .limit(1)
    .executeTakeFirst();
  if (cloudLicense !== undefined) return Number.POSITIVE_INFINITY;
  const { count } = await employeesOf(db, actor)
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('is_provisioned', '=', false)
    .executeTakeFirstOrThrow();
  return MAX_TRIAL_EMPLOYEES - Number(count);
}

/** Adds those who can be added, with their part of the audit record. */
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
  await recordChanges(
    trx,
    actor,
    inserted.map((row) => ({
      action: 'employee_added',
      targetId: row.id,
      before: null,
      after: fieldsOf(row),
    })),
  );
  return inserted;
}

function outcomeOf(judged: readonly NamedEmployee[], added: Map<string, Employee>): Additions {
  return {
    data: {
      succeeded: judged.flatMap(({ employee }) => (employee === undefined ? [] : [added.get(employee.userName)!])),
      failed: judged.flatMap(({ userName, refusal }) =>
        refusal === undefined ? [] : [{ userName, message: refusal.message }],
      ),
    },
    firstFailure: judged.find(({ refusal }) => refusal !== undefined)?.refusal,
  };
}
