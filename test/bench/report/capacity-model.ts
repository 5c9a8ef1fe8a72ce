/** What an order takes, when it comes in batches of one size. Processor time is in microseconds. */
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

/** What a process takes however many orders come, and what a poll of a result costs. */
export interface ProcessConstants {
  'API connections': number;
  'worker connections': number;
  'API MiB': number;
  'worker MiB': number;
  'poll API µs': number;
  'poll PostgreSQL µs': number;
}

/**
 * The most connections that a process opens with the default configuration, which PostgreSQL must have room for; under
 * load fewer are used. docs/deployment.md says where they come from.
 */
const MOST_CONNECTIONS = { api: 31, worker: 11 };

/** What a day is like. */
export interface Day {
  orders: number;
  ordersPerBatch: number;
}

/** How much busier the busiest time is than the mean of the day. */
const PEAK_FACTOR = 10;
/** How much of a core may be busy at the peak: what is busier than that has queues of its own. */
const BUSY_SHARE = 0.5;
const POLLS_PER_BATCH = 3;
/** Of each kind, so that one may fail. */
const LEAST_PROCESSES = 2;
const SECONDS_PER_DAY = 86_400;
const MICROS_PER_SECOND = 1e6;

/** What a day of orders needs, at its peak and in all. */
export type Needs = Record<string, number>;

/** Works the constants through for a day. Cores and processes are for the peak, with half of each core left. */
export function needsOf(day: Day, order: OrderConstants, process: ProcessConstants): Needs {
  const peakOrders = (day.orders / SECONDS_PER_DAY) * PEAK_FACTOR;
  const peakPolls = (peakOrders / day.ordersPerBatch) * POLLS_PER_BATCH;
  const cores = (orderMicros: number, pollMicros = 0) =>
    (peakOrders * orderMicros + peakPolls * pollMicros) / MICROS_PER_SECOND / BUSY_SHARE;
  const apiCores = cores(order['API µs'], process['poll API µs']);
  const workerCores = cores(order['worker µs']);
  // An event loop is one thread, so a process is about one core.
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
