import { QUEUE_NAME } from '@lockstep/orders';
import { createLogger, JobQueue, openConsumer } from '@lockstep/platform';
import { createPostgresBackend, Queue, withBackend } from 'bullmq';
import { describe, expect, it, vi } from 'vitest';
import { ConsoleClient } from '../harness/browser/console.ts';
import { batchOf, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { QUEUE_KINDS, type Stack, testStack } from '../harness/stack.ts';

/** The queue in the console: its jobs and listening workers. */
describe.each(QUEUE_KINDS)('on %s', async (kind) => {
  const log = createLogger({ name: 'test', level: 'silent', secrets: new Set() });
  const { stack } = await testStack({ queue: kind, worker: false });
  const viewer = await ConsoleClient.logIn(stack, 'viewer');

  const found = async () => (await viewer.call('getQueue')).found!;
  const untilFound = (expected: object) =>
    vi.waitFor(async () => expect(await found()).toMatchObject(expected), { timeout: 20_000 });

  it('shows that no worker is listening, and a waiting job with its lanes and batch', async () => {
    const api = await stack.newApi();
    await api.accept(batchOf(newBuy(await api.newCustomer(), [newAssetNum()])));
    // An order is accepted whether or not its job is in the queue yet.
    await untilFound({ counts: { waiting: 1 } });
    const { batches } = await viewer.call('listAllBatches');
    expect(await viewer.call('getQueue')).toEqual({
      kind,
      found: {
        counts: { waiting: 1, active: 0, delayed: 0, failed: 0 },
        jobs: [
          {
            jobId: expect.any(String),
            state: 'waiting',
            type: 'drain',
            throughBatchId: batches[0]!.batchId,
            attempts: 0,
            worker: null,
            addedTime: expect.any(Number),
            stateTime: null,
            failure: null,
          },
        ],
        workers: [],
      },
    });
  });

  it('shows listening workers, and running, failed and delayed jobs', async () => {
    const producer = new JobQueue<{ type: string }>(stack.queue, QUEUE_NAME, log);
    const [hold, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const consumer = openConsumer<{ type: string }>(stack.queue, QUEUE_NAME, {
      concurrency: 2,
      log,
      process: async ({ type }) => {
        if (type !== 'held') throw new Error('the database is away');
        hold.resolve();
        await release.promise;
      },
    });
    try {
      await producer.add({ type: 'held' });
      await hold.promise;
      await delayJob(stack, 3_600_000);
      const workers = [expect.stringMatching(/^.+:\d+$/)];
      await untilFound({ counts: { waiting: 0, active: 1, delayed: 1, failed: 1 }, workers });
      const { jobs } = await found();
      const begun = { attempts: 1, worker: workers[0], stateTime: expect.any(Number) };
      expect(jobs).toMatchObject([
        { state: 'active', type: 'held', throughBatchId: null, ...begun, failure: null },
        { state: 'failed', type: 'drain', ...begun, failure: 'the database is away' },
        { state: 'delayed', type: 'later', attempts: 0, worker: null },
      ]);
      const { addedTime, stateTime } = jobs[2]!;
      expect(stateTime! - addedTime).toBe(3_600_000);
    } finally {
      release.resolve();
      await consumer.close();
      await producer.close();
    }
    await untilFound({ counts: { active: 0 }, workers: [] });
  });

  it('lists 20 jobs per state, the newest first', async () => {
    const producer = new JobQueue<{ type: string }>(stack.queue, QUEUE_NAME, log);
    for (let n = 1; n <= 21; n++) await producer.add({ type: `n${n}` });
    const typesOf = async (state: string) =>
      (await found()).jobs.filter((job) => job.state === state).map(({ type }) => type);
    await untilFound({ counts: { waiting: 21 } });
    expect(await typesOf('waiting')).toEqual(Array.from({ length: 20 }, (_, n) => `n${21 - n}`));
    const consumer = openConsumer(stack.queue, QUEUE_NAME, {
      concurrency: 1,
      log,
      process: () => Promise.reject(new Error('no')),
    });
    await untilFound({ counts: { waiting: 0, failed: 22 } });
    expect(await typesOf('failed')).toHaveLength(20);
    await consumer.close();
    await producer.close();
  });
});

/** Adds a delayed job, which the service itself never does. */
async function delayJob({ queue: { kind, url, ...options } }: Stack, delay: number): Promise<void> {
  const PostgresQueue = withBackend(createPostgresBackend).Queue;
  const queue =
    kind === 'redis'
      ? new Queue(`{${QUEUE_NAME}}`, { ...options, connection: { url } })
      : new PostgresQueue(QUEUE_NAME, { connection: { connectionString: url, options: '-c search_path=bullmq' } });
  await queue.add('later', {}, { delay });
  await queue.close();
}
