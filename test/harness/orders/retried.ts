import type { Api } from '../api.ts';

let turn = 0;

/** Calls one API after another until one answers, as a careful client does when a connection breaks. */
export async function retried<Result>(apis: Api[], call: (api: Api) => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call(apis[turn++ % apis.length]!);
    } catch (error) {
      if (!(error instanceof TypeError) || attempt > 1_000) throw error;
    }
  }
}
