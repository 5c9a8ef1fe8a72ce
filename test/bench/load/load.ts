import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { LoadResult, LoadWork } from './load-work.ts';

/** A load generator with prepared requests. */
export interface Load {
  /** Sends the requests. Call it once. */
  run(): Promise<LoadResult>;
}

/** Starts a load generator process, which builds its requests before the measurement begins. */
export async function prepareLoad(work: LoadWork): Promise<Load> {
  const child = fork(join(import.meta.dirname, 'load-process.ts'), { serialization: 'advanced' });
  const failed = once(child, 'exit').then(([code]) =>
    Promise.reject(new Error(`The load generator exited with status ${code}`)),
  );
  failed.catch(() => {});
  const nextMessage = async () => {
    const [message] = (await Promise.race([once(child, 'message'), failed])) as [unknown];
    return message;
  };
  child.send(work);
  await nextMessage();
  return {
    async run() {
      const done = nextMessage();
      child.send('run');
      const result = (await done) as LoadResult;
      child.disconnect();
      return result;
    },
  };
}

/** Prepares a load and runs it. */
export async function runLoad(work: LoadWork): Promise<LoadResult> {
  return (await prepareLoad(work)).run();
}
