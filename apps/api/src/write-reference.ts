import { readFile, writeFile } from 'node:fs/promises';
import { fillReference } from './api-reference.ts';
import { describeApi } from './description.ts';

/** `npm run fix`: writes the texts of the API description into docs/api.md. */
const page = new URL('../../../docs/api.md', import.meta.url);
await writeFile(page, fillReference(await readFile(page, 'utf8'), await describeApi(null)));
