import { type Database, openDatabase } from '@lockstep/platform';
import { afterAll, inject, onTestFinished, TestRunner } from 'vitest';

/** Opens the database of the test run, by default with one connection, until the test, `describe` or file ends. */
export function openPool(options: Partial<Parameters<typeof openDatabase>[0]> = {}): Database {
  const common = { url: inject('postgresUrl'), poolSize: 1, applicationName: 'test', onError: () => {} };
  const db = openDatabase({ ...common, ...options });
  (TestRunner.getCurrentTest() === undefined ? afterAll : onTestFinished)(() => db.destroy());
  return db;
}
