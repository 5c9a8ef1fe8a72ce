// Sends POST calls with Node's fetch. Prints a line for each: its status and body, or "lost" and why.
// node sender.mjs URL COUNT AT_ONCE BYTES whole|chunked|slow [HEADER: VALUE]...
// In the URL, NONCE becomes a new one for each call. "slow" writes 1 KiB every 50 ms.
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

const [url, count, atOnce, bytes, how, ...headers] = process.argv.slice(2);
const body = Buffer.from('{}'.padEnd(Number(bytes)));

async function* pieces() {
  const size = how === 'slow' ? 1024 : 65_536;
  for (let start = 0; start < body.length; start += size) {
    yield body.subarray(start, start + size);
    if (how === 'slow') await wait(50);
  }
}

async function call() {
  try {
    const response = await fetch(url.replace('NONCE', randomUUID()), {
      method: 'POST',
      headers: headers.map((line) => line.split(': ', 2)),
      body: how === 'whole' ? body : pieces(),
      duplex: 'half',
    });
    return `${response.status} ${await response.text()}`;
  } catch (error) {
    return `lost ${error.cause?.code ?? error.cause?.message ?? error.message}`;
  }
}

let left = Number(count);
const sendInTurn = async () => {
  while (left-- > 0) process.stdout.write(`${await call()}\n`);
};
await Promise.all(Array.from({ length: Number(atOnce) }, sendInTurn));
