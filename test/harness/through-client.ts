import { setTimeout as delay } from 'node:timers/promises';
import { Lockstep, LockstepError, type ResponseEvent } from '@lockstep/client';
import { type Answer, Api } from './api.ts';

/** Longer than the client waits before it repeats a call. */
const MAX_DELAY_MS = 60;

/** Calls a service with the client library, at an address of its own, over a network with random delays. */
export class ThroughClient extends Api {
  readonly #lockstep: Lockstep;

  constructor({ baseUrl, credentials, token }: Api, address: string) {
    super(baseUrl, credentials, token);
    const { appKey, appSecret } = credentials;
    const slowly: typeof fetch = async (url, init) => {
      await delay(Math.random() * MAX_DELAY_MS);
      const answer = await fetch(url, init);
      await delay(Math.random() * MAX_DELAY_MS);
      return answer;
    };
    this.#lockstep = new Lockstep({ baseUrl: address, appKey, appSecret, fetch: slowly as never });
  }

  override async ask(...[id, { query, body } = {}]: Parameters<Api['ask']>): Promise<Answer> {
    const headers = new Headers();
    const ending = new AbortController();
    // The channel stays paused for longer than the client would try.
    const onResponse = ({ error }: ResponseEvent) => error?.cause === 'channel_paused' && ending.abort(error);
    try {
      const options = { signal: ending.signal, onResponse };
      const data = await this.#lockstep.call(id as 'listOrders', { query, body } as never, options);
      return { status: 200, headers, body: { code: 0, message: 'success', data } };
    } catch (error) {
      if (!(error instanceof LockstepError) || error.code === '') throw error;
      const { status = 0, code, cause, message, args, faults } = error;
      return { status, headers, body: { code, cause, message, args, ...(faults.length > 0 && { faults }) } };
    }
  }
}
