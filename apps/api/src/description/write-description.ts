import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { configOrExit, readConfig } from '@lockstep/config';
import { describeApi } from './openapi.ts';

/** `npm run description -- FILE`: writes the API description with the configured PUBLIC_URL. */
const [, , file] = process.argv;
if (file === undefined) {
  process.stderr.write('Name the file to write to: npm run description -- openapi.json\n');
  process.exit(1);
}
const description = describeApi(configOrExit(readConfig).publicUrl);
await mkdir(dirname(file), { recursive: true });
await writeFile(file, `${JSON.stringify(description, null, 2)}\n`);
