import { PasswordHasher } from '@lockstep/access';
import type { NewOperatorLogin } from '@lockstep/contract/console';
import { createDemoCustomers, DEMO_ENTERPRISES } from '@lockstep/customers';
import { writeDurably } from '@lockstep/embedded-postgres/own-files';
import { setPassword } from '@lockstep/members';
import {
  createLogInToken,
  createOperator,
  listOperators,
  newCommand,
  recordedCall,
  registerApplication,
  resetOperatorPassword,
} from '@lockstep/operators';
import { type Database, openDatabase } from '@lockstep/platform';
import { type Demo, readDemo } from './demo-file.ts';

const DEMO_OPERATOR = 'demo';

interface PreparedDemo {
  demo: Demo;
  /** Of the operator's new login link; undefined if an admin has disabled the operator. */
  logInToken: string | undefined;
}

/**
 * Creates what is missing of the demo application, enterprises, customers, employees and operator, writes demo.json,
 * and creates a login link. The audit log of operators has the application, the passwords and the link (rules 9).
 */
export async function prepareDemo(databaseUrl: string, file: string, baseUrl: string): Promise<PreparedDemo> {
  const db = openDatabase({ url: databaseUrl, poolSize: 1, applicationName: 'lockstep-demo', onError: () => {} });
  try {
    const demo = await createDemo(db, file, baseUrl);
    return { demo, logInToken: await createLogInToken(db, demo.operatorName, newCommand()) };
  } finally {
    await db.destroy();
  }
}

async function createDemo(db: Database, file: string, baseUrl: string): Promise<Demo> {
  await createDemoCustomers(db);
  const existing = await readDemo(file);
  const isKnown = existing !== undefined && (await isApplication(db, existing.appKey));
  const credentials = isKnown
    ? existing
    : await registerApplication(db, { name: 'Demo', scopes: ['auth_order', 'auth_me'], approved: true }, newCommand());
  // A known password stays, because someone may be logged in with it.
  const isAdminKnown = isKnown && existing.adminPassword !== '';
  const admin = isAdminKnown
    ? { account: existing.adminAccount, password: existing.adminPassword }
    : await setPassword(
        { db, passwords: new PasswordHasher() },
        DEMO_ENTERPRISES[0].memberIds[0],
        recordedCall(newCommand(), 'employee.password_reset'),
      );
  const operator = await provideOperator(db, existing);
  const written: Demo = {
    baseUrl,
    appKey: credentials.appKey,
    appSecret: credentials.appSecret,
    enterpriseGlobalId: DEMO_ENTERPRISES[0].id,
    customerId: DEMO_ENTERPRISES[0].customers[0].id,
    adminAccount: admin?.account ?? '',
    adminPassword: admin?.password ?? '',
    operatorName: operator.name,
    operatorPassword: operator.password,
  };
  writeDurably(file, JSON.stringify(written, null, 2));
  return written;
}

/** Creates the demo operator, an admin. Resets an existing one's password only if demo.json does not have it. */
async function provideOperator(db: Database, existing: Demo | undefined): Promise<NewOperatorLogin> {
  const tools = { db, passwords: new PasswordHasher() };
  const exists = (await listOperators(db)).some(({ name }) => name === DEMO_OPERATOR);
  if (!exists) return await createOperator(tools, { name: DEMO_OPERATOR, role: 'admin' }, newCommand());
  const { operatorName, operatorPassword } = existing ?? {};
  if (operatorName === DEMO_OPERATOR && operatorPassword) return { name: operatorName, password: operatorPassword };
  return await resetOperatorPassword(tools, DEMO_OPERATOR, newCommand());
}

async function isApplication(db: Database, appKey: string): Promise<boolean> {
  const found = await db.selectFrom('application').select('id').where('app_key', '=', appKey).executeTakeFirst();
  return found !== undefined;
}
