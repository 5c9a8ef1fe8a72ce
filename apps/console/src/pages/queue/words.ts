import { defineWords } from '../../words/words.ts';

/** The words of this area. */
export const queueWords = defineWords({
  en: {
    queue: 'Queue',
    lead: 'The jobs that wake workers: each says which orders to look at, and none holds an order.',
    waiting: 'Waiting',
    paused: 'Paused',
    isPaused: 'The queue is paused',
    isPausedAdvice:
      'Workers take no jobs from it, so orders begin some seconds later. Nothing is lost. If nobody needs the pause, an admin resumes the queue in the board.',
    active: 'Running',
    delayed: 'Delayed',
    failed: 'Failed',
    completed: 'Done',
    keptIn: (kind: string) => `BullMQ keeps the jobs in ${kind}.`,
    redis: 'Redis',
    postgres: 'PostgreSQL',
    unreachable: (kind: string) => `The queue cannot be reached on ${kind}`,
    unreachableAdvice:
      'Nothing is lost: workers look for pending orders each second without it. See that Redis runs and that REDIS_URL is right.',
    safe: 'Nothing here can be lost',
    safeAdvice:
      'Orders and their outcomes are in PostgreSQL. Jobs only make work begin sooner: whatever happens to them, workers find pending orders within seconds. Jobs that are done or failed are removed at once, so these numbers are small.',
    open: 'Open the board of jobs',
    openAdvice: 'bull-board shows each job.',
    mayChange:
      'As an admin you may pause and resume the queue there, and try failed and delayed jobs at once; that is recorded.',
    mayLook: 'Your role may look and change nothing.',
    board: 'Board',
  },
  zh: {
    queue: '队列',
    lead: '用于唤醒 Worker 的任务：每个任务只指明要查看哪些订单，不包含订单内容。',
    waiting: '等待中',
    paused: '已暂停',
    isPaused: '队列已暂停',
    isPausedAdvice:
      'Worker 不从中取任务，因此订单会晚几秒开始处理，不会丢失任何内容。如不再需要暂停，请管理员在任务面板中恢复队列。',
    active: '运行中',
    delayed: '已延迟',
    failed: '失败',
    completed: '已完成',
    keptIn: (kind) => `BullMQ 将任务保存在 ${kind} 中。`,
    redis: 'Redis',
    postgres: 'PostgreSQL',
    unreachable: (kind) => `无法连接队列（${kind}）`,
    unreachableAdvice: '不会丢失任何内容：Worker 每秒会自行查找待处理订单。请检查 Redis 是否运行、REDIS_URL 是否正确。',
    safe: '这里的内容丢失也无妨',
    safeAdvice:
      '订单及其结果保存在 PostgreSQL 中。任务只是让工作更早开始：无论任务发生什么，Worker 都会在数秒内找到待处理订单。已完成或失败的任务会立即移除，因此这些数字很小。',
    open: '打开任务面板',
    openAdvice: 'bull-board 显示每个任务。',
    mayChange: '您是管理员，可以在其中暂停和恢复队列，并立即重试失败或延迟的任务；更改会被记录。',
    mayLook: '您的角色只能查看，不能更改。',
    board: '任务面板',
  },
});
