import { dirname } from 'node:path';
import { DEFAULT_DATA_DIR } from '@lockstep/config/data-dir';

/** Returns the command that submits a file to the demo of `npm start`. It sets DATA_DIR unless that is the default. */
export function submitCommand(demoFile: string): string {
  const dataDir = dirname(demoFile);
  const submit = 'npx lockstep submit';
  return dataDir === DEFAULT_DATA_DIR ? submit : `DATA_DIR=${quoteForShell(dataDir)} ${submit}`;
}

/** Quotes a text as one word of a shell command. */
function quoteForShell(text: string): string {
  return /^[\w./@%+:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
