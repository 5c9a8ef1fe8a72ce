import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { buildBodies, type LoadResult, type LoadWork } from './load-work.ts';
import { RawConnection } from './raw-connection.ts';

/** The load generator: receives its work from the benchmark and sends back the result. */
const [work] = (await once(process, 'message')) as [LoadWork];
const bodies = work.requests.kind === 'batches' ? buildBodies(work.requests) : undefined;
const nonces = randomUUID();
let calls = 0;
let repeats = 0;
let sentBytes = 0;
const latencies: number[] = [];
const answered: number[] = [];
const nowMs = () => performance.timeOrigin + performance.now();

const REPEAT_AFTER_MS = 1_000;

process.send!('ready');
await once(process, 'message');
const usedBefore = process.cpuUsage();
const startedMs = nowMs();
await (work.pace.kind === 'callers' ? sendByCallers(work.pace) : sendAtRate(work.pace));
const endedMs = nowMs();
const used = process.cpuUsage(usedBefore);
const result: LoadResult = {
  startedMs,
  endedMs,
  latenciesMs: Float64Array.from(latencies),
  answeredMs: Float64Array.from(answered),
  repeats,
  sentBytes,
  processorMicros: used.user + used.system,
};
process.send!(result);

async function sendByCallers({
  callers,
  durationMs = Number.POSITIVE_INFINITY,
}: {
  callers: number;
  durationMs?: number;
}) {
  const count = bodies?.length ?? Number.POSITIVE_INFINITY;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      const connection = await RawConnection.open(work.baseUrl);
      for (let index = calls++; index < count && nowMs() - startedMs < durationMs; index = calls++) {
        await call(connection, index, nowMs());
      }
      connection.close();
    }),
  );
}

/** Counts latency from the time at which a call was due, so that delays of late calls are included. */
async function sendAtRate({ perSecond, connections }: { perSecond: number; connections: number }) {
  const firstMs = nowMs();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const connection = await RawConnection.open(work.baseUrl);
      for (let index = calls++; index < bodies!.length; index = calls++) {
        const dueMs = firstMs + (index * 1_000) / perSecond;
        const waitMs = dueMs - nowMs();
        if (waitMs > 0) await delay(waitMs);
        // A timer may fire a millisecond late. Count such a call from now, so that the service isn't blamed.
        await call(connection, index, waitMs > 0 ? nowMs() : dueMs);
      }
      connection.close();
    }),
  );
}

async function call(connection: RawConnection, index: number, dueMs: number): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const { head, body } = buildRequest(index, attempt);
    sentBytes += head.length + (body?.length ?? 0);
    const answer = await connection.send(head, body);
    if (answer.status === 200) {
      const atMs = nowMs();
      latencies[index] = atMs - dueMs;
      answered[index] = atMs;
      return;
    }
    const text = answer.body.toString();
    if (!text.includes('"overloaded"')) throw new Error(`HTTP ${answer.status}: ${text.slice(0, 500)}`);
    repeats++;
    await delay(REPEAT_AFTER_MS);
  }
}

function buildRequest(index: number, attempt: number): { head: string; body?: Buffer } {
  const headers = Object.entries(work.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const body = bodies?.[index];
  const method = body === undefined ? 'GET' : 'POST';
  const length = body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
  const nonce = `${nonces}-${index}-${attempt}`;
  const target = work.targets[index % work.targets.length];
  const head = `${method} ${target}g_nonce=${nonce} HTTP/1.1\r\nhost: bench\r\n${headers.join('')}${length}\r\n`;
  return body === undefined ? { head } : { head, body };
}
