import { writeFileSync } from 'node:fs';
import { ALERTS, alertTable, both, dashboard, lines, read, stat } from './panels.ts';

const HTTP = 'lockstep_http_request_seconds';
/** Calls that an alert counts as failed, and all of which it takes the share. */
const FAILED = 'code="500", cause!="channel_paused"';
const CALLS = 'route!="none"';
/** Reads that cannot wait 30 seconds for a result or an event. */
const READS = 'method="GET", route!~".*/batchOrder|.*/events"';
/** Narrows a metric that every Node.js process has to the processes of Lockstep. */
const OURS = 'and on (job, instance) lockstep_orders_accepted_total';
const PROCESS = '{{instance}} {{pod}}';

/** How fast a counter grows per second, over all processes. */
const rate = (counter: string, matchers = '', by = '') =>
  `sum${by && ` by (${by}) `}(rate(${counter}{${matchers}}[$__rate_interval]))`;
/** What half and 99 % of the values of a histogram stay below. */
const spread = (histogram: string, matchers = '', what = '') => {
  const at = (part: number) => `histogram_quantile(${part}, ${rate(`${histogram}_bucket`, matchers, 'le')})`;
  return { [`${what}half`]: at(0.5), [`${what}99 %`]: at(0.99) };
};

const POSTGRESQL = stat('PostgreSQL', 'short', 'database', {
  is: '1 if a process reaches PostgreSQL. If none does, all calls are refused; accepted orders are safe.',
  queries: { up: 'max(lockstep_database_up)' },
  least: [1, 1],
});
const OLDEST = both('Oldest pending order', 's', 'LockstepOrdersNotApplied', {
  is: 'Its age, without held customers and paused channels. It rises if workers apply no orders.',
  queries: { age: 'max(lockstep_oldest_pending_order_seconds)' },
});
const HELD = both('Held customers', 'short', 'LockstepOrdersHeld', {
  is: 'Customers with an order that cannot be applied although others can. Their later orders wait.',
  queries: { customers: 'max(lockstep_held_customers)' },
});
const STALLED = both('Stalled lanes', 'short', 'LockstepLanesStalled', {
  is: 'Lanes whose drains have failed for five seconds, usually because of PostgreSQL. Their orders wait.',
  queries: { lanes: 'max(lockstep_stalled_lanes)' },
});
const FAILED_DRAINS = both('Failed drains in 10 minutes', 'short', 'LockstepDrainsFailing', {
  is: "Their orders stay pending and are retried. The workers' logs say why they failed.",
  queries: { drains: 'sum(increase(lockstep_drain_failures_total[10m]))' },
});
const LOST_JOBS = both('Lost jobs in 10 minutes', 'short', 'LockstepQueueDown', {
  is: 'Jobs that could not be queued. The sweep finds their orders a second later.',
  queries: { jobs: 'sum(increase(lockstep_enqueue_failures_total[10m]))' },
});
const OVERDUE = both('Overdue webhook message', 's', 'LockstepWebhooksOverdue', {
  is: 'How late the most overdue message is. It rises if no worker is running.',
  queries: { overdue: 'max(lockstep_webhook_overdue_seconds)' },
});
const THROUGHPUT = lines('Orders per second', 'short', 'orders-waiting', {
  is: 'If fewer orders are applied (succeeded, failed, cancelled) than accepted, the backlog grows.',
  queries: {
    accepted: rate('lockstep_orders_accepted_total'),
    '{{outcome}}': rate('lockstep_orders_applied_total', '', 'outcome'),
  },
});

const service = dashboard('Service', 'For operators on call: does Lockstep work, and if not, what fails? Begin here.', {
  'Does it work?': [
    alertTable('Lockstep.*'),
    POSTGRESQL,
    stat('Processes', 'short', 'processes', {
      is: 'Run two of each, so that one can fail. Without workers, accepted orders wait.',
      queries: {
        API: 'count(lockstep_http_connections_refused_total) or vector(0)',
        workers: 'count(lockstep_webhook_busy_seconds_total) or vector(0)',
      },
      least: [1, 2],
    }),
    stat('Failed calls', 'percentunit', 'LockstepCallsFailing', {
      is: 'Share of calls refused because of a fault or overload. Calls for paused channels are not counted.',
      queries: { failed: `${rate(`${HTTP}_count`, FAILED)} / (${rate(`${HTTP}_count`, CALLS)} > 0) or vector(0)` },
    }),
    ...[OLDEST.stat, STALLED.stat, OVERDUE.stat],
  ],
  Calls: [
    lines('Calls per second', 'reqps', 'calls', {
      is: 'By code (see /docs). 0: success. 500: a fault, overload or paused channel. Others: mistakes of callers.',
      queries: { '{{code}}': rate(`${HTTP}_count`, '', 'code') },
    }),
    lines('Failed calls per second', 'reqps', 'calls', {
      is: 'Calls with code 500, by cause. If all routes fail, look at PostgreSQL first.',
      queries: { '{{cause}} {{method}} {{route}}': rate(`${HTTP}_count`, 'code="500"', 'cause, method, route') },
    }),
    lines('Duration of calls', 's', 'calls', {
      is: 'Except calls that can wait for a result or an event. Calls time out after 10 to 30 seconds.',
      queries: { ...spread(HTTP, 'method!="GET"', 'changes, '), ...spread(HTTP, READS, 'reads, ') },
    }),
  ],
  Orders: [THROUGHPUT, OLDEST.lines, HELD.lines],
  Webhooks: [
    lines('Attempts per second', 'short', 'webhooks', {
      is: 'A failing endpoint gets one attempt at a time. If messages are overdue and this is 0, start a worker.',
      queries: { '{{outcome}}': rate('lockstep_webhook_attempts_total', '', 'outcome') },
    }),
    OVERDUE.lines,
    lines('Oldest undelivered event', 's', 'LockstepWebhooksBehind', {
      is: 'Its age. The alert looks only at endpoints that respond (answering), not at failing ones.',
      queries: { '{{endpoints}}': 'max by (endpoints) (lockstep_webhook_lag_seconds)' },
    }),
  ],
  Processes: [
    lines('Cores in use', 'short', 'processes', {
      is: 'A process runs its code on one core. If it stays near 1, add processes.',
      queries: { [PROCESS]: `rate(process_cpu_seconds_total[$__rate_interval]) ${OURS}` },
    }),
    lines('Memory', 'bytes', 'processes', {
      is: 'The Kubernetes manifests limit a process to 512 MiB.',
      queries: { [PROCESS]: `process_resident_memory_bytes ${OURS}` },
    }),
    lines('Time since start', 's', 'processes', {
      is: 'If a process restarts repeatedly, its last log line says why it exited.',
      queries: { [PROCESS]: `time() - process_start_time_seconds ${OURS}` },
    }),
  ],
});

const BACKLOG = 'lockstep_channel_pending_orders{channel=~"$channel"}';
const AGE = 'lockstep_channel_oldest_pending_seconds{channel=~"$channel"}';

const channels = dashboard('Channels', 'For operators on call: which channels wait, and how long?', {
  'Who waits?': [
    alertTable('Lockstep(Channel|Orders|Lanes).*'),
    OLDEST.stat,
    stat('Pending orders', 'short', 'orders-waiting', {
      is: 'Of all channels, including paused ones.',
      queries: { orders: 'sum(max by (channel) (lockstep_channel_pending_orders)) or vector(0)' },
    }),
    stat('Paused channels', 'short', 'LockstepChannelPaused', {
      is: 'Their orders stay pending until an operator resumes them.',
      queries: { channels: 'max(lockstep_paused_channels)' },
    }),
    ...[HELD.stat, STALLED.stat, FAILED_DRAINS.stat],
  ],
  'By channel': [
    lines('Oldest pending order', 's', 'LockstepChannelBehind', {
      is: 'Its age; 0 if the channel is paused. (others): all but the 50 channels with the most pending orders.',
      queries: { '{{channel}}': `max by (channel) (${AGE})` },
    }),
    lines('Pending orders', 'short', 'orders-waiting', {
      is: 'If they grow, orders arrive faster than workers apply them.',
      queries: { '{{channel}}': `max by (channel) (${BACKLOG})` },
    }),
    lines('Time until the backlog is cleared', 's', 'orders-waiting', {
      is: 'An estimate from the last ten minutes, for backlogs that shrink.',
      queries: {
        '{{channel}}': `max by (channel) (${BACKLOG}) / -(avg by (channel) (deriv(${BACKLOG}[10m])) < 0)`,
      },
    }),
  ],
  'All channels': [THROUGHPUT, OLDEST.lines, HELD.lines],
});

const database = dashboard('PostgreSQL and queue', 'For operators on call: do PostgreSQL and the queue keep up?', {
  'Do they work?': [
    alertTable('Lockstep(Database|Lanes|Drains|Queue|Cleanup).*'),
    ...[POSTGRESQL, STALLED.stat, HELD.stat, FAILED_DRAINS.stat, LOST_JOBS.stat, OLDEST.stat],
  ],
  PostgreSQL: [
    lines('Duration of calls that send a batch', 's', 'database', {
      is: 'An async batch takes one statement and its commit. A slow disk or standby shows here.',
      queries: spread(HTTP, 'method="POST", route=~".*/batchOrder"'),
    }),
    lines('Drain time per order', 's', 'orders-waiting', {
      is: 'If it rises, check the disk, autovacuum and statistics of PostgreSQL.',
      queries: { mean: `${rate('lockstep_drain_seconds_sum')} / ${rate('lockstep_drain_orders_sum')}` },
    }),
    lines('Concurrent drains', 'short', 'orders-waiting', {
      is: 'If all workers stay at WORKER_DRAINS, and PostgreSQL has spare cores, add workers.',
      queries: { drains: rate('lockstep_drain_seconds_sum') },
    }),
    ...[FAILED_DRAINS.lines, STALLED.lines, OLDEST.lines],
  ],
  'Queue and cleanup': [
    lines('Jobs per second', 'short', 'queue', {
      is: 'Jobs that workers take. If this is 0 while orders are accepted, the queue is unavailable.',
      queries: { jobs: rate('lockstep_jobs_total') },
    }),
    LOST_JOBS.lines,
    lines('Cleanup behind', 's', 'LockstepCleanupBehind', {
      is: 'How long ago the oldest rows should have been deleted.',
      queries: { '{{kind}}': 'max by (kind) (lockstep_cleanup_behind_seconds)' },
    }),
  ],
});

/** Writes each panel on a line, so that a change is a line. */
function format({ panels, ...frame }: ReturnType<typeof dashboard>): string {
  const list = `[\n${panels.map((panel) => JSON.stringify(panel)).join(',\n')}\n]`;
  return `${JSON.stringify({ ...frame, panels: [] }, null, 2).replace(/\[\](?=\n\}$)/, () => list)}\n`;
}

const [, rules] = /^spec:\n(.*)/ms.exec(read(ALERTS))!;
/** What `npm run monitoring` writes into this folder, by name. */
export const FILES: Record<string, string> = {
  'service.json': format(service),
  'channels.json': format(channels),
  'postgresql-and-queue.json': format(database),
  'rules.yaml': `# Written by npm run monitoring, from ${ALERTS}.\n${rules!.replace(/^ {2}/gm, '')}`,
};

if (import.meta.main) {
  for (const [name, text] of Object.entries(FILES)) writeFileSync(new URL(name, import.meta.url), text);
}
