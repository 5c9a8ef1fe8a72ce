import { listApplications } from '@lockstep/access';
import { ApplicationName, ChannelCode, Scope } from '@lockstep/contract';
import { changeApplicationStatus, newCommand, registerApplication, rotateApplicationSecret } from '@lockstep/operators';
import type { Database } from '@lockstep/platform';
import { CommandFault } from '../output/status.ts';

interface NewApplication {
  name: string;
  scope: string[];
  channel?: string[];
  approve?: true;
}

export async function create(db: Database, { name, scope, channel, approve }: NewApplication) {
  const application = {
    name: readText(ApplicationName, '--name', name),
    scopes: [...new Set(scope.map((word) => Scope.parse(word)))],
    channels: channel === undefined ? null : readChannels(channel),
    approved: approve === true,
  };
  return await registerApplication(db, application, newCommand());
}

export const list = (db: Database) => listApplications(db);

export async function rotateSecret(db: Database, appKey: string, { overlapHours }: { overlapHours: number }) {
  const { appSecret } = await rotateApplicationSecret(db, appKey, overlapHours, newCommand());
  return { appKey, appSecret };
}

export const approve = (db: Database, appKey: string) => changeStatus(db, appKey, 'approved');

export const suspend = (db: Database, appKey: string) => changeStatus(db, appKey, 'suspended');

async function changeStatus(db: Database, appKey: string, status: 'approved' | 'suspended') {
  await changeApplicationStatus(db, appKey, status, newCommand());
  return `Application ${appKey} is ${status}`;
}

/** Parses the values of --channel, without duplicates. */
export function readChannels(given: readonly string[]): string[] {
  return [...new Set(given.map((channel) => readText(ChannelCode, '--channel', channel)))];
}

/** Parses and trims a name or a channel (rules 4). */
export function readText(schema: typeof ApplicationName, option: string, value: string): string {
  const { data } = schema.safeParse(value);
  if (data !== undefined) return data;
  throw new CommandFault('usage', `${option} is invalid. It must be 1 to 255 characters, without control characters.`);
}
