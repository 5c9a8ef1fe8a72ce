import type { ServerOptions } from '../../server-options.ts';
import { BOARD_PATH } from '../board/board-module.ts';
import type { ConsoleHandlers } from '../handlers.ts';
import { OverviewReader } from '../overview-reader.ts';

/** How the service does. */
export function overviewHandlers({ db, queueView, isQueueReachable, aged }: ServerOptions) {
  const reader = new OverviewReader({ db, queueView, isQueueReachable, aged });
  return {
    getOverview: async (request) => await reader.read(request.query.span),
    getQueue: async () => ({ kind: queueView.kind, jobs: await queueView.countJobs(), boardPath: BOARD_PATH }),
  } satisfies ConsoleHandlers;
}
