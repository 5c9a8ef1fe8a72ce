import { PasswordHasher } from '@lockstep/access';
import type { EnterpriseId, MemberId } from '@lockstep/contract';
import { createAdministrator, setPassword } from '@lockstep/members';
import { newCommand, recordedCall } from '@lockstep/operators';
import { say } from '../output/terminal.ts';
import { type DatabaseTools, notFound } from './with-database.ts';

export async function setMemberPassword({ withDatabase }: DatabaseTools, globalId: string): Promise<void> {
  const login = await withDatabase((db) =>
    setPassword(
      { db, passwords: new PasswordHasher() },
      globalId as MemberId,
      recordedCall(newCommand(), 'employee.password_reset'),
    ),
  );
  if (login === undefined) throw notFound('employee', globalId);
  say(JSON.stringify(login));
}

export async function createEnterpriseAdmin({ withDatabase }: DatabaseTools, globalId: string): Promise<void> {
  const login = await withDatabase((db) =>
    createAdministrator(
      { db, passwords: new PasswordHasher() },
      globalId as EnterpriseId,
      recordedCall(newCommand(), 'administrator.created'),
    ),
  );
  if (login === undefined) throw notFound('enterprise', globalId);
  say(JSON.stringify(login));
}
