import type { Overview, QueueJob, QueueState } from '@lockstep/contract/console';
import { jobSchema } from '@lockstep/orders';
import { type QueueSight, type QueueView, share } from '@lockstep/platform';
import { submitCommand } from '../../demo-command.ts';
import type { Demo, ServerOptions } from '../../options.ts';
import type { ConsoleHandlers } from '../operations.ts';
import { OverviewReader } from '../overview/reader.ts';

/** Handler of the overview: activity, backlog and health. */
export function overviewHandlers({ db, queueView, isQueueReachable, channels, aged, demo }: ServerOptions) {
  const reader = new OverviewReader({ db, queueView, isQueueReachable, channels, aged });
  const getQueue = share(() => readQueue(queueView));
  return {
    getOverview: async (request) => ({ ...(await reader.read(request.query.span)), demo: describeDemo(demo()) }),
    getQueue,
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
