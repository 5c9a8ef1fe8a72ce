import { writeFile } from 'node:fs/promises';
import { describeApi } from './description.ts';
import { renderReference } from './reference.ts';

/** `npm run fix`: writes docs/api.md. */
await writeFile(new URL('../../../../docs/api.md', import.meta.url), renderReference(await describeApi(null)));
