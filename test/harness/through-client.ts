import { setTimeout as delay } from 'node:timers/promises';
import { type BatchKey, type CallOptions, Lockstep, LockstepError, type ResponseEvent } from '@lockstep/client';
import { type Answer, Api } from './api.ts';

/** Longer than the client waits before it repeats a call. */
const MAX_DELAY_MS = 60;

/** Calls a service with the client library, at an address of its own, over a network with random delays. */
export class ThroughClient extends Api {
  readonly lockstep: Lockstep;

  constructor({ baseUrl, credentials, token }: Api, address: string) {
    super(baseUrl, credentials, token);
    const { appKey, appSecret } = credentials;
    const slowly: typeof fetch = async (url, init) => {
      await delay(Math.random() * MAX_DELAY_MS);
      const answer = await fetch(url, init);
      await delay(Math.random() * MAX_DELAY_MS);
      return answer;
    };
    this.lockstep = new Lockstep({ baseUrl: address, appKey, appSecret, fetch: slowly as never });
  }

  override async ask(...[id, given]: Parameters<Api['ask']>): Promise<Answer> {
    const headers = new Headers();
    const ending = new AbortController();
    // The channel stays paused for longer than the client would try.
    const onResponse = ({ error }: ResponseEvent) => error?.cause === 'channel_paused' && ending.abort(error);
    try {
      const options = { signal: ending.signal, onResponse };
      const data = await this.#use(id, given, options);
      return { status: 200, headers, body: { code: 0, message: 'success', data } };
    } catch (error) {
      if (!(error instanceof LockstepError) || error.code === '') throw error;
      const { status = 0, code, cause, message, args, faults } = error;
      return { status, headers, body: { code, cause, message, args, ...(faults.length > 0 && { faults }) } };
    }
  }

  /** Calls an operation by the method that integrators use for it. */
  async #use(...[id, { query, body } = {}, options]: [...Parameters<Api['ask']>, options?: CallOptions]) {
    const { orders } = this.lockstep;
    if (id === 'createBatchOrder') return await orders.submit(body as never, options);
    if (id !== 'getBatchResult') return await this.lockstep.call(id as 'listOrders', { query, body } as never, options);
    const key = query as object as BatchKey;
    if (query!.waitSeconds !== '0') return await orders.wait(key, options);
    const result = await orders.result(key, options);
    return { ...result, orders: await Array.fromAsync(orders.results(key, options)), nextCursor: null };
  }
}
