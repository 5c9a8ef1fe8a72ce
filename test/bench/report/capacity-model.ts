/** What an order costs in batches of one size. Processor time is in microseconds. */
export interface OrderConstants {
  'API µs': number;
  'worker µs': number;
  'PostgreSQL µs': number;
  'Redis µs': number;
  'standby µs': number;
  'WAL bytes': number;
  'stored bytes': number;
  'HTTP bytes': number;
  'PostgreSQL bytes': number;
  'Redis commands': number;
  'Redis bytes': number;
}

/** What a process needs at any load, and what a poll costs. */
export interface ProcessConstants {
  'API connections': number;
  'worker connections': number;
  'API MiB': number;
  'worker MiB': number;
  'poll API µs': number;
  'poll PostgreSQL µs': number;
}

/**
 * The most connections that a process opens with the default configuration (docs/deployment.md). PostgreSQL must have
 * room for all; under load a process uses fewer.
 */
const MOST_CONNECTIONS = { api: 31, worker: 11 };

/** The orders of a day. */
export interface Day {
  orders: number;
  ordersPerBatch: number;
}

/** Ratio of the peak rate to the day's mean. */
const PEAK_FACTOR = 10;
/** Highest share of a core to use at the peak, because queues form above it. */
const BUSY_SHARE = 0.5;
const POLLS_PER_BATCH = 3;
/** Of each kind, so that one can fail. */
const LEAST_PROCESSES = 2;
const SECONDS_PER_DAY = 86_400;
const MICROS_PER_SECOND = 1e6;

/** What a day needs. Each name includes the unit. */
export type Needs = Record<string, number>;

/** Computes what a day needs. Cores and processes are for the peak and leave half of each core free. */
export function needsOf(day: Day, order: OrderConstants, process: ProcessConstants): Needs {
  const peakOrders = (day.orders / SECONDS_PER_DAY) * PEAK_FACTOR;
  const peakPolls = (peakOrders / day.ordersPerBatch) * POLLS_PER_BATCH;
  const cores = (orderMicros: number, pollMicros = 0) =>
    (peakOrders * orderMicros + peakPolls * pollMicros) / MICROS_PER_SECOND / BUSY_SHARE;
  const apiCores = cores(order['API µs'], process['poll API µs']);
  const workerCores = cores(order['worker µs']);
  // Each process has one event loop, so it uses about one core.
  const apiProcesses = Math.max(LEAST_PROCESSES, Math.ceil(apiCores));
  const workerProcesses = Math.max(LEAST_PROCESSES, Math.ceil(workerCores));
  return {
    'orders a second, mean': day.orders / SECONDS_PER_DAY,
    'orders a second, peak': peakOrders,
    'cores: API': apiCores,
    'cores: workers': workerCores,
    'cores: PostgreSQL': cores(order['PostgreSQL µs'], process['poll PostgreSQL µs']),
    'cores: each standby': cores(order['standby µs']),
    'cores: Redis': cores(order['Redis µs']),
    'API processes': apiProcesses,
    'worker processes': workerProcesses,
    'connections to PostgreSQL, at most':
      apiProcesses * MOST_CONNECTIONS.api + workerProcesses * MOST_CONNECTIONS.worker,
    'WAL, GB a day': (day.orders * order['WAL bytes']) / 1e9,
    'WAL, MB a second at the peak': (peakOrders * order['WAL bytes']) / 1e6,
    'stored, GB a day': (day.orders * order['stored bytes']) / 1e9,
    'stored, TB a year': (365 * day.orders * order['stored bytes']) / 1e12,
    'Redis commands a second, peak': peakOrders * order['Redis commands'],
    'network of PostgreSQL without standbys, Mbit/s at the peak': (peakOrders * order['PostgreSQL bytes'] * 8) / 1e6,
    'network of each standby, Mbit/s at the peak': (peakOrders * order['WAL bytes'] * 8) / 1e6,
    'network of the API, Mbit/s at the peak': (peakOrders * order['HTTP bytes'] * 8) / 1e6,
  };
}
