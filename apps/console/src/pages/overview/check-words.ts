import { defineWords } from '../../words/define-words.ts';

/** What a check found, in words. */
export interface Found {
  age: string;
  count: string;
  /** What keeps the queue. */
  kind: string;
  /** What is not deleted. */
  kinds: string;
  /** How many connections there may be. */
  most: string;
}

/** What each check of the service looked at, what it means when it is not well, and what to do about it. */
export const checkWords = defineWords({
  en: {
    database_name: 'Database',
    database_is: 'PostgreSQL answers, and has the schema of this release.',
    database_wrong: 'PostgreSQL does not answer as it should.',
    database_do: 'See /health/ready and the log of the API.',
    workers_name: 'Workers',
    workers_is: 'Workers are connected to the database.',
    workers_wrong: 'No worker is connected to the database: accepted orders are safe, and none takes effect.',
    workers_do: 'Start a worker (npm run worker), or see in its log why it ended.',
    queue_name: 'Queue',
    queue_is: ({ kind }: Found) => `BullMQ answers on ${kind}.`,
    queue_wrong: ({ kind }: Found) =>
      `BullMQ does not answer on ${kind}: orders are found by the sweep, some seconds later.`,
    queue_do: 'Check that Redis runs and that REDIS_URL is right. Nothing is lost meanwhile.',
    pending_orders_name: 'Pending orders',
    pending_orders_is: 'No order has waited for half a minute.',
    pending_orders_wrong: ({ age }: Found) => `Orders have waited for ${age}.`,
    pending_orders_do:
      'Look at the oldest batch. If nothing moves, the log of the workers says why (“orders stalled”, “order held”); if much moves, there is more to do than workers can: start another one.',
    stalled_lanes_name: 'Lanes',
    stalled_lanes_is: 'Workers can apply orders.',
    stalled_lanes_wrong: ({ count, age }: Found) => `No order has been applied in ${count} lanes for ${age}.`,
    stalled_lanes_do:
      'The log of the workers says why (“orders stalled”). Orders go on by themselves when it is repaired.',
    held_customers_name: 'Held orders',
    held_customers_is: 'No order is held.',
    held_customers_wrong: ({ count, age }: Found) =>
      `Customers with an order that cannot be applied: ${count}, the first for ${age}. Their later orders wait.`,
    held_customers_do:
      'See what the orders fail with, and repair it: they are retried. Cancel the batch, or end the order on its page.',
    events_name: 'Events',
    events_is: 'Ends of batches reach readers and webhooks at once.',
    events_wrong: ({ age }: Found) => `Ends of batches have waited for ${age} to become events: nobody hears of them.`,
    events_do: 'Workers number events each second: see in their log “event numbering failed”.',
    activity_name: 'Activity',
    activity_is: 'What was done is added up each second.',
    activity_wrong: ({ age }: Found) =>
      `What was done for ${age} is not added up: this page shows less than there was.`,
    activity_do: 'Workers add it up each second: see in their log “activity count failed”.',
    webhooks_disabled_name: 'Disabled webhooks',
    webhooks_disabled_is: 'No webhook is disabled.',
    webhooks_disabled_wrong: ({ count }: Found) => `Webhooks that are disabled: ${count}. Nothing is sent to them.`,
    webhooks_disabled_do: 'Ask their owners to repair the endpoint. Then enable them and send again what they missed.',
    webhooks_failing_name: 'Failing webhooks',
    webhooks_failing_is: 'The last message to every webhook was delivered.',
    webhooks_failing_wrong: ({ count }: Found) =>
      `Webhooks whose last messages failed: ${count}. They are tried again.`,
    webhooks_failing_do:
      'Their deliveries say what the endpoint answered. After three days of failures one is disabled.',
    webhooks_behind_name: 'Webhook lag',
    webhooks_behind_is: 'Endpoints that answer get their events at once.',
    webhooks_behind_wrong: ({ age }: Found) => `An endpoint that answers has not received an event that is ${age} old.`,
    webhooks_behind_do:
      'If workers run, the endpoint answers slowly or many endpoints do: see its page, or start another worker.',
    clean_up_name: 'Clean-up',
    clean_up_is: 'What is too old is deleted.',
    clean_up_wrong: ({ kinds, age }: Found) => `What is too old has not been deleted for ${age}: ${kinds}.`,
    clean_up_do: 'See in the log of the workers “cleanup failed”.',
    transactions_name: 'Transactions',
    transactions_is: 'No transaction is open for long.',
    transactions_wrong: ({ age }: Found) =>
      `A transaction has been open for ${age}. PostgreSQL keeps all that it might still see, and grows slow.`,
    transactions_do:
      'Find it in pg_stat_activity by xact_start: a forgotten session or a long backup. End it if nobody needs it.',
    connections_name: 'Connections',
    connections_is: ({ count, most }: Found) => `${count} of ${most} connections of PostgreSQL are used.`,
    connections_wrong: ({ count, most }: Found) => `${count} of ${most} connections of PostgreSQL are used.`,
    connections_do: 'Raise max_connections, lower DATABASE_POOL, or run fewer processes.',
  },
  zh: {
    database_name: '数据库',
    database_is: 'PostgreSQL 正常应答，且结构与本版本一致。',
    database_wrong: 'PostgreSQL 未能正常应答。',
    database_do: '请查看 /health/ready 和 API 的日志。',
    workers_name: 'Worker 进程',
    workers_is: 'Worker 已连接到数据库。',
    workers_wrong: '没有 Worker 连接到数据库：已接收的订单不会丢失，但都不会生效。',
    workers_do: '请启动 Worker（npm run worker），或在其日志中查看退出原因。',
    queue_name: '队列',
    queue_is: ({ kind }) => `BullMQ（${kind}）正常应答。`,
    queue_wrong: ({ kind }) => `BullMQ（${kind}）没有应答：订单将由定时扫描发现，晚几秒处理。`,
    queue_do: '请检查 Redis 是否运行、REDIS_URL 是否正确。期间不会丢失任何内容。',
    pending_orders_name: '待处理订单',
    pending_orders_is: '没有订单等待超过半分钟。',
    pending_orders_wrong: ({ age }) => `有订单已等待 ${age}。`,
    pending_orders_do:
      '请查看最早的批次。如果没有任何进展，Worker 日志会说明原因（“orders stalled”、“order held”）；如果进展很多，则是工作量超出能力：请再启动一个 Worker。',
    stalled_lanes_name: '通道',
    stalled_lanes_is: 'Worker 能够执行订单。',
    stalled_lanes_wrong: ({ count, age }) => `${count} 个通道已有 ${age} 没有执行任何订单。`,
    stalled_lanes_do: 'Worker 的日志说明原因（“orders stalled”）。修复后订单会自动继续。',
    held_customers_name: '被搁置的订单',
    held_customers_is: '没有被搁置的订单。',
    held_customers_wrong: ({ count, age }) =>
      `有订单无法执行的客户：${count} 个，最早的已有 ${age}。这些客户后续的订单在等待。`,
    held_customers_do: '查看订单失败的原因并修复，订单会自动重试；也可以取消批次，或在订单页面结束订单。',
    events_name: '事件',
    events_is: '批次结束后立即通知读取方和 Webhook。',
    events_wrong: ({ age }) => `批次结束后已等待 ${age} 仍未成为事件：无人收到通知。`,
    events_do: 'Worker 每秒为事件编号：请在其日志中查找“event numbering failed”。',
    activity_name: '统计',
    activity_is: '已完成的工作每秒汇总一次。',
    activity_wrong: ({ age }) => `已有 ${age} 的工作没有汇总：本页显示的数量偏少。`,
    activity_do: 'Worker 每秒汇总一次：请在其日志中查找“activity count failed”。',
    webhooks_disabled_name: '已停用的 Webhook',
    webhooks_disabled_is: '没有停用的 Webhook。',
    webhooks_disabled_wrong: ({ count }) => `已停用的 Webhook：${count} 个，不会向其发送任何内容。`,
    webhooks_disabled_do: '请联系其所有者修复接收端，然后启用并补发错过的事件。',
    webhooks_failing_name: '投递失败的 Webhook',
    webhooks_failing_is: '每个 Webhook 的最近一条消息都已投递。',
    webhooks_failing_wrong: ({ count }) => `最近消息投递失败的 Webhook：${count} 个，将会重试。`,
    webhooks_failing_do: '投递记录中有接收端的应答。连续失败三天后会被停用。',
    webhooks_behind_name: 'Webhook 延迟',
    webhooks_behind_is: '正常响应的接收端能及时收到事件。',
    webhooks_behind_wrong: ({ age }) => `有正常响应的接收端尚未收到 ${age} 前的事件。`,
    webhooks_behind_do: '如果 Worker 正在运行，则是接收端响应太慢：请查看其页面，或再启动一个 Worker。',
    clean_up_name: '清理',
    clean_up_is: '过期内容已被删除。',
    clean_up_wrong: ({ kinds, age }) => `过期内容已 ${age} 未被删除：${kinds}。`,
    clean_up_do: '请在 Worker 日志中查找“cleanup failed”。',
    transactions_name: '事务',
    transactions_is: '没有长时间未结束的事务。',
    transactions_wrong: ({ age }) => `有事务已打开 ${age}。PostgreSQL 会保留它可能看到的一切，并因此变慢。`,
    transactions_do: '请在 pg_stat_activity 中按 xact_start 查找：可能是遗忘的会话或耗时的备份。如无人需要，请结束它。',
    connections_name: '连接',
    connections_is: ({ count, most }) => `PostgreSQL 的 ${most} 个连接中已使用 ${count} 个。`,
    connections_wrong: ({ count, most }) => `PostgreSQL 的 ${most} 个连接中已使用 ${count} 个。`,
    connections_do: '请提高 max_connections、降低 DATABASE_POOL，或减少进程数。',
  },
});
