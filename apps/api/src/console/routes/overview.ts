import { dirname } from 'node:path';
import { DEFAULT_DATA_DIR } from '@lockstep/config/data-dir';
import type { Overview, QueueJob, QueueState } from '@lockstep/contract/console';
import { type Job, jobSchema } from '@lockstep/orders';
import { type JobQueue, type QueueSight, share } from '@lockstep/platform';
import type { Demo, Services } from '../../services.ts';
import type { ConsoleHandlers } from '../operations.ts';
import { OverviewReader } from '../overview/reader.ts';

/** Handler of the overview: activity, backlog and health. */
export function overviewHandlers({ db, queue, aged, demo }: Services) {
  const reader = new OverviewReader({ db, queue, aged });
  const look = share(() => readQueue(queue));
  return {
    getOverview: async (request, operator) => ({
      ...(await reader.read(operator, request.query.span)),
      demo: operator.channels === null ? describeDemo(demo()) : null,
    }),

    getProblems: async (_request, operator) => await reader.count(operator),

    getQueue: async (_request, operator) => {
      const { kind, found } = await look();
      // Jobs name batches of any channel.
      return { kind, found: operator.channels === null ? found : found && { ...found, jobs: [] } };
    },
  } satisfies ConsoleHandlers;
}

function describeDemo(demo: Demo | null): Overview['demo'] {
  return demo && { appKey: demo.appKey, submitCommand: submitCommand(demo.file) };
}

/** Returns the command that submits a file to the demo of `npm start`. It sets DATA_DIR unless that is the default. */
function submitCommand(demoFile: string): string {
  const dataDir = dirname(demoFile);
  const submit = 'npx lockstep submit';
  return dataDir === DEFAULT_DATA_DIR ? submit : `DATA_DIR=${quoteForShell(dataDir)} ${submit}`;
}

/** Quotes a text as one word of a shell command. */
function quoteForShell(text: string): string {
  return /^[\w./@%+:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

async function readQueue(queue: JobQueue<Job>): Promise<QueueState> {
  const found = await queue.look();
  return { kind: queue.kind, found: found && { ...found, jobs: found.jobs.map(readJob) } };
}

function readJob({ data, ...job }: QueueSight['jobs'][number]): QueueJob {
  const { throughBatchId = null } = jobSchema.safeParse(data).data ?? {};
  return { ...job, throughBatchId };
}
