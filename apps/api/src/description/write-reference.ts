import { readFile, writeFile } from 'node:fs/promises';
import { fillConsoleReference } from './console-reference.ts';
import { describeApi } from './description.ts';
import { renderReference } from './reference.ts';

/** `npm run fix`: writes docs/api.md, and the table of operations of docs/console.md. */
const pageAt = (file: string) => new URL(`../../../../docs/${file}`, import.meta.url);
await writeFile(pageAt('api.md'), renderReference(await describeApi(null)));
const consolePage = pageAt('console.md');
await writeFile(consolePage, fillConsoleReference(await readFile(consolePage, 'utf8')));
