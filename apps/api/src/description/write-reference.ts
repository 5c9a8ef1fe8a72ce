import { readFile, writeFile } from 'node:fs/promises';
import { fillConsoleReference, fillReference } from './api-reference.ts';
import { describeApi } from './description.ts';

/**
 * `npm run fix`: writes the texts of the API description into docs/api.md, and the console's table into
 * docs/console.md.
 */
async function rewrite(file: string, fill: (page: string) => string): Promise<void> {
  const page = new URL(`../../../../docs/${file}`, import.meta.url);
  await writeFile(page, fill(await readFile(page, 'utf8')));
}

const description = await describeApi(null);
await rewrite('api.md', (page) => fillReference(page, description));
await rewrite('console.md', fillConsoleReference);
