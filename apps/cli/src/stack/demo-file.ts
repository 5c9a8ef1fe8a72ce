import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { requireOwn } from '@lockstep/embedded-postgres/own-files';

/** The fields of DATA_DIR/demo.json (rules 9). */
const FIELDS = [
  'baseUrl',
  'appKey',
  'appSecret',
  'enterpriseGlobalId',
  'customerId',
  'adminAccount',
  'adminPassword',
  'operatorName',
  'operatorPassword',
] as const;
export type Demo = Record<(typeof FIELDS)[number], string>;

/** Reads demo.json. Returns undefined if the file does not exist. Throws if another user may have prepared it. */
export async function readDemo(file: string): Promise<Demo | undefined> {
  requireOwn(dirname(file), file);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const read = JSON.parse(text) as Demo;
    if (!FIELDS.every((name) => typeof read[name] === 'string')) throw new Error('it lacks fields');
    return read;
  } catch (error) {
    throw new Error(`${file} is not what npm start wrote; delete it and start again`, { cause: error });
  }
}
