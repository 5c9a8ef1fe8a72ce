import { BindCustomer, type EnterpriseId } from '@lockstep/contract';
import { setSecurityMobile } from '@lockstep/customers';
import { newCommand, recordMobileSet } from '@lockstep/operators';
import { CommandFault } from '../output/status.ts';
import { say } from '../output/terminal.ts';
import { type DatabaseTools, notFound } from './with-database.ts';

export async function setMobile({ withDatabase }: DatabaseTools, globalId: string, given: string): Promise<void> {
  const { data: mobile, error } = BindCustomer.shape.passwordMobile.safeParse(given);
  if (mobile === undefined) throw new CommandFault('usage', `mobile: ${error?.issues[0]?.message}`);
  const isFound = await withDatabase((db) =>
    setSecurityMobile(db, { id: globalId as EnterpriseId, mobile }, (trx, before) =>
      recordMobileSet(trx, newCommand(), { enterpriseId: globalId, before, after: mobile }),
    ),
  );
  if (!isFound) throw notFound('enterprise', globalId);
  say(`Enterprise ${globalId} has a new security mobile number`);
}
