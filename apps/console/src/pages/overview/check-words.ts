import { defineWords } from '../../words/define-words.ts';

/** What a check found, formatted for its sentence. */
export interface Found {
  age: string;
  count: string;
  /** The store of the queue. */
  kind: string;
  /** What cleanup has not deleted. */
  kinds: string;
  /** The limit of connections. */
  most: string;
}

/**
 * The words of each health check: its name, what it says when it passes (`_is`) and when it does not (`_wrong`), and
 * what to do (`_do`).
 */
export const checkWords = defineWords({
  database_name: ['Database', '数据库'],
  database_is: ['PostgreSQL answers and has the schema of this release.', 'PostgreSQL 响应正常，表结构与本版本一致。'],
  database_wrong: ['PostgreSQL does not answer correctly.', 'PostgreSQL 响应异常。'],
  database_do: ['See /health/ready and the API’s log.', '请查看 /health/ready 和 API 日志。'],
  workers_name: ['Workers', 'Worker'],
  workers_is: ['Workers are connected to the database.', 'Worker 已连接到数据库。'],
  workers_wrong: [
    'No worker is connected to the database. Accepted orders are safe but stay pending.',
    '没有 Worker 连接到数据库。已受理的订单不会丢失，但会一直处于待处理状态。',
  ],
  workers_do: [
    'Start a worker (npm run worker), or check in its log why it stopped.',
    '请启动 Worker（npm run worker），或在其日志中查看停止原因。',
  ],
  queue_name: ['Queue', '队列'],
  queue_is: [({ kind }: Found) => `BullMQ responds on ${kind}.`, ({ kind }) => `${kind} 上的 BullMQ 响应正常。`],
  queue_wrong: [
    ({ kind }: Found) => `BullMQ does not respond on ${kind}. The sweep still finds orders, a few seconds later.`,
    ({ kind }) => `${kind} 上的 BullMQ 没有响应。定期扫描仍会发现订单，只是晚几秒。`,
  ],
  queue_do: [
    'Check that Redis is running and REDIS_URL is correct. Nothing is lost meanwhile.',
    '请检查 Redis 是否在运行、REDIS_URL 是否正确。在此期间数据不会丢失。',
  ],
  pending_orders_name: ['Pending orders', '待处理订单'],
  pending_orders_is: ['No order has been pending for 30 seconds.', '没有订单等待超过 30 秒。'],
  pending_orders_wrong: [
    ({ age }: Found) => `The oldest order has been pending for ${age}.`,
    ({ age }) => `最早的订单已等待 ${age}。`,
  ],
  pending_orders_do: [
    'Open the oldest batch. If no orders are being applied, the workers’ log says why (“orders stalled”, “order held”). If orders are being applied, the workers can’t keep up: start another one.',
    '请查看最早的批次。如果没有订单在执行，Worker 日志会说明原因（“orders stalled”、“order held”）；如果仍有大量订单在执行，说明 Worker 处理能力不足，请再启动一个。',
  ],
  stalled_lanes_name: ['Lanes', '通道'],
  stalled_lanes_is: ['Workers can apply orders.', 'Worker 可以执行订单。'],
  stalled_lanes_wrong: [
    ({ count, age }: Found) => `Stalled lanes: ${count}, the first for ${age}. Their orders stay pending.`,
    ({ count, age }) => `${count} 个停滞，最早的已停滞 ${age}。`,
  ],
  stalled_lanes_do: [
    'The workers’ log says why (“orders stalled”). Orders resume by themselves once the fault is fixed.',
    'Worker 日志会说明原因（“orders stalled”）。故障排除后，订单会自动恢复执行。',
  ],
  held_customers_name: ['Held orders', '挂起订单'],
  held_customers_is: ['No order is held.', '没有挂起订单。'],
  held_customers_wrong: [
    ({ count, age }: Found) => `Customers affected: ${count}, the first for ${age}. Their later orders wait.`,
    ({ count, age }) => `${count} 个客户受影响，最早的已持续 ${age}。其后续订单须等待。`,
  ],
  held_customers_do: [
    'Open the held orders and fix what the errors name; the service retries the orders. If an order itself is at fault, cancel its batch, or mark it as failed on its page.',
    '请查看这些订单的错误并排除原因，服务会自动重试。也可以取消批次，或在订单页面将其标记为失败。',
  ],
  events_name: ['Events', '事件'],
  events_is: ['Completed batches become events immediately.', '批次完成后立即产生事件。'],
  events_wrong: [
    ({ age }: Found) =>
      `Completed batches have waited ${age} to become events. The event feed and webhooks don’t have them yet.`,
    ({ age }) => `已完成的批次等待了 ${age}，仍未产生事件。读取方和 Webhook 收不到这些事件。`,
  ],
  events_do: [
    'Workers number events every second. Check their log for “event numbering failed”.',
    'Worker 每秒为事件编号。请在其日志中搜索“event numbering failed”。',
  ],
  activity_name: ['Activity', '业务量统计'],
  activity_is: ['Activity is counted every second.', '业务量每秒统计一次。'],
  activity_wrong: [
    ({ age }: Found) => `Activity has not been counted for ${age}. The numbers on this page are too low.`,
    ({ age }) => `业务量已有 ${age} 未统计，本页数字偏小。`,
  ],
  activity_do: [
    'Workers count activity every second. Check their log for “activity count failed”.',
    'Worker 每秒统计一次。请在其日志中搜索“activity count failed”。',
  ],
  webhooks_disabled_name: ['Disabled webhooks', '已停用的 Webhook'],
  webhooks_disabled_is: ['No webhook is disabled.', '没有停用的 Webhook。'],
  webhooks_disabled_wrong: [
    ({ count }: Found) => `Disabled: ${count}. Nothing is sent until you enable them.`,
    ({ count }) => `已停用 ${count} 个，启用前不会发送任何消息。`,
  ],
  webhooks_disabled_do: [
    'Ask their owners to fix the endpoints. Then enable the webhooks, with the events that they missed.',
    '请联系其负责人修复端点，然后启用 Webhook 并补发错过的事件。',
  ],
  webhooks_failing_name: ['Failing webhooks', '异常 Webhook'],
  webhooks_failing_is: ['Every webhook received its last message.', '所有 Webhook 的最近一条消息均已送达。'],
  webhooks_failing_wrong: [
    ({ count }: Found) => `Failing: ${count}. Their last message was not delivered.`,
    ({ count }) => `异常：${count} 个，最近一条消息未送达。`,
  ],
  webhooks_failing_do: [
    'Open a webhook to see what its endpoint answered. The service retries every message except tests, and disables the webhook after about three days.',
    '端点的响应见其消息列表。除测试消息外，服务会自动重试；连续失败约三天后，Webhook 会被停用。',
  ],
  webhooks_behind_name: ['Webhook lag', 'Webhook 延迟'],
  webhooks_behind_is: ['Working endpoints receive events immediately.', '端点正常时，事件会立即送达。'],
  webhooks_behind_wrong: [
    ({ age }: Found) => `A working endpoint has not received an event from ${age} ago.`,
    ({ age }) => `有端点工作正常，却尚未收到 ${age} 前的事件。`,
  ],
  webhooks_behind_do: [
    'If workers are running, an endpoint responds slowly, or the workers can’t keep up: check the webhook’s page, or start another worker.',
    '如果 Worker 在运行，说明有一个或多个端点响应缓慢：请查看该 Webhook 的页面，或再启动一个 Worker。',
  ],
  clean_up_name: ['Cleanup', '清理'],
  clean_up_is: ['Data past its retention period is deleted.', '超过保留期的数据均已删除。'],
  clean_up_wrong: [
    ({ kinds, age }: Found) => `Data past its retention period has not been deleted for ${age}: ${kinds}.`,
    ({ kinds, age }) => `超过保留期的数据已有 ${age} 未删除：${kinds}。`,
  ],
  clean_up_do: ['Check the workers’ log for “cleanup failed”.', '请在 Worker 日志中搜索“cleanup failed”。'],
  transactions_name: ['Transactions', '事务'],
  transactions_is: ['No transaction has been open for long.', '没有长时间未结束的事务。'],
  transactions_wrong: [
    ({ age }: Found) =>
      `A transaction has been open for ${age}. It keeps PostgreSQL from vacuuming old rows, which slows it down.`,
    ({ age }) => `有事务已持续 ${age} 未结束，PostgreSQL 因此无法清理旧行，性能会下降。`,
  ],
  transactions_do: [
    'Find it in pg_stat_activity by xact_start: a forgotten session or a long backup. End it if it is not needed.',
    '请在 pg_stat_activity 中按 xact_start 查找，可能是遗忘的会话或耗时的备份。如不再需要，请将其结束。',
  ],
  connections_name: ['Connections', '连接'],
  connections_is: [
    ({ count, most }: Found) => `${count} of ${most} PostgreSQL connections are in use.`,
    ({ count, most }) => `PostgreSQL 连接已使用 ${count} 个，上限 ${most} 个。`,
  ],
  connections_wrong: [
    ({ count, most }: Found) => `${count} of ${most} PostgreSQL connections are in use.`,
    ({ count, most }) => `PostgreSQL 连接已使用 ${count} 个，上限 ${most} 个。`,
  ],
  connections_do: [
    'Raise max_connections, lower DATABASE_POOL, or run fewer processes.',
    '请调高 max_connections、调低 DATABASE_POOL，或减少进程数。',
  ],
});
