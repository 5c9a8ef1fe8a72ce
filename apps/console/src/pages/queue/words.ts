import { defineAreaWords } from '../../words/define-words.ts';

/** The words of the queue. */
export const queueWords = defineAreaWords({
  lead: [
    'A job tells a worker that orders are pending. It contains no orders.',
    '任务用于唤醒 Worker，只指明到哪里查找订单，不含订单本身。',
  ],
  waiting: ['Waiting', '等待中'],
  active: ['Running', '运行中'],
  delayed: ['Delayed', '已延迟'],
  jobs: ['Jobs', '任务'],
  noJobs: ['No jobs', '暂无任务'],
  noJobsAdvice: ['Successful jobs are removed immediately.', '成功的任务会立即移除。'],
  throughBatch: ['Through batch', '截至批次'],
  added: ['Added', '加入时间'],
  stateTime: ['Started, failed or due', '开始、失败或到期时间'],
  worker: ['Worker', 'Worker'],
  failure: ['Error', '错误'],
  workers: ['Listening workers', '监听中的 Worker'],
  noWorkers: ['No worker is listening', '没有 Worker 在监听'],
  noWorkersAdvice: [
    'Start one (npm run worker). If one is running, its log says why it can’t reach the queue.',
    '请启动一个 Worker（npm run worker）。如果已有 Worker 在运行，其日志会说明无法连接队列的原因。',
  ],
  workersUnknown: [
    'This Redis doesn’t list its clients. The overview shows whether workers are connected.',
    '此 Redis 不提供客户端列表。Worker 是否已连接，请查看概览。',
  ],
  keptIn: [(kind: string) => `BullMQ stores the jobs in ${kind}.`, (kind) => `BullMQ 将任务保存在 ${kind} 中。`],
  redis: ['Redis', 'Redis'],
  postgres: ['PostgreSQL', 'PostgreSQL'],
  unreachable: [(kind: string) => `Can’t reach the queue on ${kind}`, (kind) => `无法连接 ${kind} 上的队列`],
  unreachableAdvice: [
    'Nothing is lost: without the queue, workers look for pending orders every second. Check that Redis is running and REDIS_URL is correct.',
    '数据不会丢失：队列不可用时，Worker 仍会每秒查找待处理订单。请检查 Redis 是否在运行、REDIS_URL 是否正确。',
  ],
  safe: ['A lost job loses no orders', '任务丢失不会导致订单丢失'],
  safeAdvice: [
    'Orders and outcomes are stored in PostgreSQL. Jobs only start work sooner: without them, workers find pending orders within seconds. The list shows up to 20 jobs per state: the oldest of the waiting ones, the newest of the others. The queue keeps the 100 latest failed jobs.',
    '订单及其结果保存在 PostgreSQL 中，任务只是让处理更早开始；没有任务，Worker 也会在几秒内找到待处理订单。每种状态最多显示 20 个任务：等待中的显示等待最久的，其他状态显示最新的。队列保留最近 100 个失败任务。',
  ],
});
