import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { AppControllerRoute, BullBoardRequest, IServerAdapter, UIConfig } from '@bull-board/api/typings/app';
import type { ViewedQueue } from '@lockstep/platform';

const UI_ROOT = join(dirname(createRequire(import.meta.url).resolve('@bull-board/ui/package.json')), 'dist');
/** What the board's page loads. */
export const BOARD_FILES = join(UI_ROOT, 'static');

/** A call of the board's page. */
interface BoardCall {
  params: Record<string, string>;
  query: unknown;
  body: unknown;
}

/** What the board answers. */
export interface BoardAnswer {
  status: number;
  body: unknown;
}

/** A call that the board's page makes. */
export interface BoardRoute {
  methods: string[];
  url: string;
  /** Whether it changes the queue or its jobs. */
  isChange: boolean;
  /** Carries it out on a queue; on one that is read only, it refuses what changes anything. */
  answer: (queue: ViewedQueue, isReadOnly: boolean, call: BoardCall) => Promise<BoardAnswer>;
}

/**
 * What an operator may need to change. All else that bull-board knows is not there: nobody should give workers jobs of their
 * own, or take waiting ones from them.
 */
const CHANGES: ReadonlySet<string> = new Set([
  '/api/queues/pause',
  '/api/queues/resume',
  '/api/queues/:queueName/pause',
  '/api/queues/:queueName/resume',
  '/api/queues/:queueName/promote',
  '/api/queues/:queueName/retry/:queueStatus',
  '/api/queues/:queueName/clean/:queueStatus',
  '/api/queues/:queueName/:jobId/retry',
  '/api/queues/:queueName/:jobId/promote',
]);
/** The state of jobs that a change of many is for. */
const CHANGED_STATUS = 'failed';

/** The queue as bull-board sees it: without what is not served, as far as the page can be told so. */
class OrdersQueue extends BullMQAdapter {
  override readonly allowCompletedRetries = false;

  override get supportsGlobalRateLimit() {
    return false;
  }
  override get supportsJobSchedulerUpdate() {
    return false;
  }
  override get supportsJobSchedulerRun() {
    return false;
  }
}

/** What the page of the board shows beside the queue. */
const uiConfig = (consolePath: string): UIConfig => ({
  boardTitle: 'Lockstep: queue',
  hideDocsLink: true,
  // It would ask Redis for all of its clients at each look.
  showWorkers: false,
  favIcon: { default: 'static/images/logo.svg', alternative: 'static/favicon-32x32.png' },
  miscLinks: [{ text: 'Lockstep', url: consolePath }],
});

/**
 * bull-board without its server: its routes are served by ours, which knows who calls, and its page without the fonts that it
 * would load from elsewhere. The queue is given with each call, because its connection may be another one by then.
 */
export class Board {
  readonly #uiConfig: UIConfig;
  readonly #template = readFileSync(join(UI_ROOT, 'index.ejs'), 'utf8').replace(/<link href="https:[^>]*>\s*/g, '');
  /** The addresses behind the board's root at which its page is. */
  readonly pageUrls: string[] = [];
  readonly routes: BoardRoute[] = [];

  /** `consolePath`: the path of the console in the browser, where the board leads back. */
  constructor(consolePath: string) {
    this.#uiConfig = uiConfig(consolePath);
    const serverAdapter: IServerAdapter = {
      setQueues: () => serverAdapter,
      setViewsPath: () => serverAdapter,
      setStaticPath: () => serverAdapter,
      setErrorHandler: () => serverAdapter,
      setUIConfig: () => serverAdapter,
      setEntryRoute: ({ route }) => {
        this.pageUrls.push(...[route].flat());
        return serverAdapter;
      },
      setApiRoutes: (routes) => {
        this.routes.push(...routes.flatMap((route) => this.#buildRoute(route)));
        return serverAdapter;
      },
    };
    createBullBoard({ queues: [], serverAdapter });
  }

  /** The page. `basePath`: the path of the board in the browser. */
  buildPage(basePath: string): string {
    const { boardTitle = '', favIcon } = this.#uiConfig;
    const values: Record<string, string> = {
      basePath: escapeHtml(`${basePath}/`),
      title: escapeHtml(boardTitle),
      favIconDefault: escapeHtml(favIcon?.default ?? ''),
      favIconAlternative: escapeHtml(favIcon?.alternative ?? ''),
      // JSON in a script element: nothing in it may end the element.
      uiConfig: JSON.stringify(this.#uiConfig).replace(/[<>]/g, (sign) => (sign === '<' ? '\\u003c' : '\\u003e')),
    };
    return this.#template.replace(/<%[=-]\s*(\w+)\s*%>/g, (_, name: string) => values[name] ?? '');
  }

  /** The routes that serve one of bull-board's: none, if it is not served. */
  #buildRoute({ method, route, handler }: AppControllerRoute): BoardRoute[] {
    const methods = [method].flat().map((each) => each.toUpperCase());
    const isChange = !methods.includes('GET');
    const served = [route].flat().filter((url) => !isChange || CHANGES.has(url));
    return served.map((url) => ({
      methods: isChange ? methods : ['GET', 'HEAD'],
      url: url.replace(':queueStatus', CHANGED_STATUS),
      isChange,
      answer: async (queue, isReadOnly, { params, query, body }) => {
        const adapter = new OrdersQueue(queue, { readOnlyMode: isReadOnly, displayName: 'Orders' });
        const request = {
          queues: new Map([[adapter.getName(), adapter]]),
          uiConfig: this.#uiConfig,
          headers: {},
          params: { queueStatus: CHANGED_STATUS, ...params },
          query,
          body,
        } as unknown as BullBoardRequest;
        const answer = await handler(request);
        return { status: answer.status ?? 200, body: answer.body };
      },
    }));
  }
}

const ESCAPED: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (sign) => ESCAPED[sign] ?? sign);
