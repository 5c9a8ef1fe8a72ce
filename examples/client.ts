// Gets tokens and calls the order module for the other examples. Node.js 24 runs them directly: `npx node`.
// Set LOCKSTEP_BASE_URL, LOCKSTEP_APP_KEY and LOCKSTEP_APP_SECRET. For the demo, .lockstep/demo.json has appKey and
// appSecret.
import { randomUUID } from 'node:crypto';

const { LOCKSTEP_BASE_URL: base = 'http://127.0.0.1:8080' } = process.env;
const { LOCKSTEP_APP_KEY: appKey = '', LOCKSTEP_APP_SECRET: appSecret = '' } = process.env;

/** The service refused the call. Programs use `cause`; people read the message. */
export class Refusal extends Error {
  override readonly cause: string;

  constructor({ cause, message }: { cause: string; message: string }) {
    super(message);
    this.cause = cause;
  }
}

/** Gets an access token, which is valid for two hours. */
async function askToken(): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: appKey, client_secret: appSecret });
  const response = await fetch(`${base}/oauth2/token`, { method: 'POST', body });
  if (!response.ok) throw new Error(`The application "${appKey}" got no token: ${await response.text()}`);
  return ((await response.json()) as { access_token: string }).access_token;
}
let token = await askToken();

interface Answer<Data> {
  code: number | string;
  cause: string;
  message: string;
  data: Data;
}

/** Calls an operation: GET, or POST with a body. Returns its data, or throws a Refusal. */
export async function call<Data>(path: string, query: Record<string, string> = {}, body?: unknown): Promise<Data> {
  const ask = async () => {
    // A nonce is valid once, so each attempt needs a new one.
    const search = new URLSearchParams({ ...query, appKey, g_nonce: randomUUID() });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const request = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(`${base}/order/api/order/v1${path}?${search}`, request);
    return (await response.json()) as Answer<Data>;
  };
  let answer = await ask();
  if (answer.cause === 'token_invalid') {
    token = await askToken();
    answer = await ask();
  }
  if (answer.code !== 0) throw new Refusal(answer);
  return answer.data;
}
