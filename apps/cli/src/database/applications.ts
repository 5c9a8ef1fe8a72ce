import { listApplications } from '@lockstep/access';
import { ApplicationName, ChannelCode, Scope } from '@lockstep/contract';
import { changeApplicationStatus, newCommand, registerApplication, rotateApplicationSecret } from '@lockstep/operators';
import { CommandFault } from '../output/status.ts';
import { say } from '../output/terminal.ts';
import type { DatabaseTools } from './with-database.ts';

interface NewApplication {
  name: string;
  scope: string[];
  channel?: string[];
  approve?: true;
}

export async function create({ withDatabase }: DatabaseTools, options: NewApplication): Promise<void> {
  const { name, scope, channel, approve } = options;
  const application = {
    name: readText(ApplicationName, '--name', name),
    scopes: [...new Set(scope.map((word) => Scope.parse(word)))],
    channels: channel === undefined ? null : readChannels(channel),
    approved: approve === true,
  };
  say(JSON.stringify(await withDatabase((db) => registerApplication(db, application, newCommand()))));
}

export async function list({ withDatabase }: DatabaseTools): Promise<void> {
  for (const application of await withDatabase(listApplications)) say(JSON.stringify(application));
}

export async function rotateSecret(
  { withDatabase }: DatabaseTools,
  appKey: string,
  { overlapHours }: { overlapHours: number },
): Promise<void> {
  const { appSecret } = await withDatabase((db) => rotateApplicationSecret(db, appKey, overlapHours, newCommand()));
  say(JSON.stringify({ appKey, appSecret }));
}

export async function approve(tools: DatabaseTools, appKey: string): Promise<void> {
  await changeStatus(tools, appKey, 'approved');
}

export async function suspend(tools: DatabaseTools, appKey: string): Promise<void> {
  await changeStatus(tools, appKey, 'suspended');
}

async function changeStatus({ withDatabase }: DatabaseTools, appKey: string, status: 'approved' | 'suspended') {
  await withDatabase((db) => changeApplicationStatus(db, appKey, status, newCommand()));
  say(`Application ${appKey} is ${status}`);
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
