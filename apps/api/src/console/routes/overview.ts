import type { ServerOptions } from '../../server-options.ts';
import { BOARD_PATH } from '../board/board-module.ts';
import type { ConsoleHandlers } from '../handlers.ts';
import { OverviewReader } from '../overview-reader.ts';

/** How the service does. */
export function overviewHandlers({ db, queueView, isQueueReachable, aged }: ServerOptions) {
  const reader = new OverviewReader({ db, queueView, isQueueReachable, aged });
  return {
    getOverview: async (request) => await reader.read(request.query.span),
    getQueue: async () => {
      const [jobs, isPaused] = await Promise.all([queueView.countJobs(), queueView.isPaused()]);
      return { kind: queueView.kind, jobs, isPaused, boardPath: BOARD_PATH };
    },
  } satisfies ConsoleHandlers;
}
