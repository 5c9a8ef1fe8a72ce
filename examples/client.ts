// Gets tokens and calls the order module for the other examples. Node.js 24 runs them directly: `npx node`.
// Set LOCKSTEP_BASE_URL, LOCKSTEP_APP_KEY and LOCKSTEP_APP_SECRET. Without any of them, the examples use the demo of
// `npm start`.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

const { baseUrl, appKey, appSecret } = readService();

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
    return JSON.parse(readFileSync(`${DATA_DIR}/demo.json`, 'utf8'));
  } catch {
    return stop(`${hint}, or start the demo: ${DATA_DIR}/demo.json can't be read.`);
  }
}

function stop(message: string): never {
  console.error(message);
  process.exit(1);
}

/** The service refused the call. Programs use `cause`; people read the message. */
export class Refusal extends Error {
  override readonly cause: string;

  constructor({ cause, message }: { cause: string; message: string }) {
    super(message);
    this.cause = cause;
  }
}

interface Reply {
  code?: number | string;
  message?: string;
  error_description?: string;
}

/** Repeats a call that had no answer or code 500. Use a new nonce, but the same Idempotency-Key each time. */
async function untilAnswered<Answer extends Reply>(send: () => Promise<Response>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    let [fault, seconds] = ['', attempt];
    try {
      const response = await send();
      const answer = (await response.json()) as Answer;
      if (response.status < 500 && answer.code !== '500') return answer;
      fault = answer.message ?? answer.error_description ?? '';
      seconds = Number(response.headers.get('retry-after')) || attempt;
    } catch (error) {
      // No answer, or a proxy's. The call may have taken effect.
      fault = String((error as Error).cause ?? error);
    }
    if (attempt === 5) throw new Error(`${baseUrl} could not be used. Is the service running? ${fault}`);
    console.error(`${fault}; retrying in ${seconds} s`);
    await wait(seconds * 1_000);
  }
}

const TIMEOUT_MS = 60_000;

/** Gets an access token, which is valid for two hours. */
async function askToken(): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: appKey, client_secret: appSecret });
  const answer = await untilAnswered<Reply & { access_token?: string }>(() =>
    fetch(`${baseUrl}/oauth2/token`, { method: 'POST', body, signal: AbortSignal.timeout(TIMEOUT_MS) }),
  );
  if (!answer.access_token) throw new Error(`The application "${appKey}" got no token: ${answer.error_description}`);
  return answer.access_token;
}
let token = await askToken().catch((error: Error) => stop(error.message));

interface Answer<Data> {
  code: number | string;
  cause: string;
  message: string;
  data: Data;
}

/** Calls an operation: GET, or POST with a body. Returns its data, or throws a Refusal. */
export async function call<Data>(path: string, query: Record<string, string> = {}, body?: unknown): Promise<Data> {
  // The same key for each attempt: where a repeat would have another effect, the service answers as it did before.
  const key = randomUUID();
  const ask = (): Promise<Answer<Data>> =>
    untilAnswered(() => {
      // A nonce is valid once, so each attempt needs a new one.
      const search = new URLSearchParams({ ...query, appKey, g_nonce: randomUUID() });
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      };
      const request = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) };
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      return fetch(`${baseUrl}/order/api/order/v1${path}?${search}`, { ...request, signal });
    });
  let answer = await ask();
  if (answer.cause === 'token_invalid') {
    token = await askToken();
    answer = await ask();
  }
  if (answer.code !== 0) throw new Refusal(answer);
  return answer.data;
}
