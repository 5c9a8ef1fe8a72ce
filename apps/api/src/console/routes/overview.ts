import type { Overview, QueueJob, QueueState } from '@lockstep/contract/console';
import { jobSchema } from '@lockstep/orders';
import type { QueueSight, QueueView } from '@lockstep/platform';
import { submitCommand } from '../../demo-command.ts';
import type { Demo, ServerOptions } from '../../options.ts';
import type { ConsoleHandlers } from '../operations.ts';
import { OverviewReader } from '../overview/reader.ts';
import { SharedReading } from '../overview/shared-reading.ts';

const MIN_KEPT_MS = 1_000;

/** Handler of the overview: activity, backlog and health. */
export function overviewHandlers({ db, queueView, isQueueReachable, channels, aged, demo }: ServerOptions) {
  const reader = new OverviewReader({ db, queueView, isQueueReachable, channels, aged });
  const queue = new SharedReading(() => readQueue(queueView), MIN_KEPT_MS);
  return {
    getOverview: async (request) => ({ ...(await reader.read(request.query.span)), demo: describeDemo(demo()) }),
    getQueue: async () => await queue.get(),
  } satisfies ConsoleHandlers;
}

function describeDemo(demo: Demo | null): Overview['demo'] {
  return demo && { appKey: demo.appKey, submitCommand: submitCommand(demo.file) };
}

async function readQueue(view: QueueView): Promise<QueueState> {
  const found = await view.look();
  return { kind: view.kind, found: found && { ...found, jobs: found.jobs.map(readJob) } };
}

function readJob({ data, ...job }: QueueSight['jobs'][number]): QueueJob {
  const { throughBatchId = null } = jobSchema.safeParse(data).data ?? {};
  return { ...job, throughBatchId };
}
