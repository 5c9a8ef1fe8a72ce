import { randomUUID } from 'node:crypto';
import { createApplication } from '@lockstep/access';
import type { Channels, Customer } from '@lockstep/contract';
import { openDatabase } from '@lockstep/platform';
import { Api, dataOf } from '../../harness/api.ts';

const CALLERS = 8;

/** A service and its database. */
interface Reached {
  databaseUrl: string;
  baseUrl: string;
}

/** An application, and the customers that it orders for. */
export interface Sender {
  caller: Api;
  customers: Customer[];
}

/** Creates an application bound to a channel, and customers of that channel. */
export async function createBoundSender(deployment: Reached, channelCode: string, count: number): Promise<Sender> {
  const caller = await createCaller(deployment, [channelCode]);
  const customers = await createSome(count, () => caller.newCustomer(undefined, channelCode));
  return { caller, customers };
}

/**
 * Creates an application that is bound to no channel, and customers by O2, half of them in `crm` and half in
 * `industry`.
 */
export async function createO2Sender(deployment: Reached, count: number): Promise<Sender> {
  const caller = await createCaller(deployment, null);
  const pairs = await createSome(count / 2, async (): Promise<Customer[]> => {
    const crmCustomerId = randomUUID();
    const body = { crmCustomerId, customerName: `Enterprise ${crmCustomerId}`, branchName: 'Branch' };
    dataOf(await caller.ask('createEnterprise', { body }));
    const query = { channelCode: 'crm', channelCustomerId: crmCustomerId, defaultCustomer: 'N' };
    return dataOf(await caller.ask('queryCustomers', { query }));
  });
  return { caller, customers: pairs.flat() };
}

/** Calls `create` for each index below `count`, several at a time. */
export async function createSome<Created>(count: number, create: (index: number) => Promise<Created>) {
  const created: Created[] = [];
  await Promise.all(
    Array.from({ length: CALLERS }, async (_, index) => {
      for (; index < count; index += CALLERS) created.push(await create(index));
    }),
  );
  return created;
}

async function createCaller({ databaseUrl, baseUrl }: Reached, channels: Channels): Promise<Api> {
  const db = openDatabase({ url: databaseUrl, poolSize: 1, applicationName: 'bench', onError: () => {} });
  try {
    const options = { name: 'Bench', scopes: ['auth_order' as const], approved: true, channels };
    return await Api.logIn(baseUrl, await createApplication(db, options));
  } finally {
    await db.destroy();
  }
}
