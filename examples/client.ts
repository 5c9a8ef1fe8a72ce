// The client of the other examples. Node.js 24 runs them directly: `npx node`.
// Set LOCKSTEP_BASE_URL, LOCKSTEP_APP_KEY and LOCKSTEP_APP_SECRET. Without any of them, the examples use the demo of
// `npm start`.
import { readFileSync } from 'node:fs';
import { Lockstep } from '@lockstep/client';

export const lockstep = new Lockstep({ ...readService(), logger: { debug: () => {}, warn: console.error } });

/** Returns address and credentials from one source, so that no secret goes to the address of another service. */
function readService(): { baseUrl: string; appKey: string; appSecret: string } {
  const {
    LOCKSTEP_BASE_URL = '',
    LOCKSTEP_APP_KEY = '',
    LOCKSTEP_APP_SECRET = '',
    DATA_DIR = '.lockstep',
  } = process.env;
  const given = { baseUrl: LOCKSTEP_BASE_URL, appKey: LOCKSTEP_APP_KEY, appSecret: LOCKSTEP_APP_SECRET };
  if (Object.values(given).every((value) => value !== '')) return given;
  const hint = 'Set LOCKSTEP_BASE_URL, LOCKSTEP_APP_KEY and LOCKSTEP_APP_SECRET';
  if (Object.values(given).some((value) => value !== '')) stop(`${hint}, or none of them.`);
  try {
    const { baseUrl, appKey, appSecret } = JSON.parse(readFileSync(`${DATA_DIR}/demo.json`, 'utf8'));
    return { baseUrl, appKey, appSecret };
  } catch {
    return stop(`${hint}, or start the demo: ${DATA_DIR}/demo.json can't be read.`);
  }
}

function stop(message: string): never {
  console.error(message);
  process.exit(1);
}
