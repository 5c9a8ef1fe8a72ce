import { connect, createServer, type Socket } from 'node:net';

/** A proxy between the service and PostgreSQL that delays data by DELAY_MS in each direction. */
const { PROXY_PORT, TARGET_PORT, DELAY_MS } = process.env;
const delayMs = Number(DELAY_MS);
/** Longest sleep while data is in flight, which bounds the error of the delay. */
const NAP_MS = 0.05;

const onTheWay: { dueMs: number; to: Socket; part: Buffer }[] = [];
const napping = new Int32Array(new SharedArrayBuffer(4));
let isPassing = false;

const server = createServer((near) => {
  const far = connect(Number(TARGET_PORT), '127.0.0.1');
  link(near, far);
  link(far, near);
});

function link(from: Socket, to: Socket): void {
  from.setNoDelay(true);
  from.on('data', (part) => {
    onTheWay.push({ dueMs: performance.now() + delayMs, to, part });
    if (isPassing) return;
    isPassing = true;
    setImmediate(forward);
  });
  from.on('error', () => {});
  from.on('close', () => to.destroy());
}

/** Polls with short naps, because timers have a resolution of one millisecond and a busy loop would occupy a core. */
function forward(): void {
  const nowMs = performance.now();
  let passed = 0;
  for (; onTheWay[passed] !== undefined && onTheWay[passed]!.dueMs <= nowMs; passed++) {
    const { to, part } = onTheWay[passed]!;
    if (to.writable) to.write(part);
  }
  onTheWay.splice(0, passed);
  isPassing = onTheWay.length > 0;
  if (!isPassing) return;
  Atomics.wait(napping, 0, 0, Math.min(NAP_MS, Math.max(0.001, onTheWay[0]!.dueMs - nowMs)));
  setImmediate(forward);
}

server.listen(Number(PROXY_PORT), '127.0.0.1', () => process.stdout.write('ready\n'));
process.once('SIGTERM', () => process.exit(0));
