// Receives webhooks, and verifies them with the library of Standard Webhooks (npm install standardwebhooks):
// WEBHOOK_SECRET=whsec_… PORT=9000 npx node examples/verify-a-webhook.ts
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

const { WEBHOOK_SECRET = '', PORT = '9000' } = process.env;
const webhook = new Webhook(WEBHOOK_SECRET);
/** In production this is a table: insert the id in the transaction that does what the message asks for. */
const handled = new Set<string>();

/** Takes a message. Returns the HTTP status of the answer. */
async function receive(request: IncomingMessage): Promise<number> {
  if (!(Number(request.headers['content-length']) <= 100_000)) return 413;
  // The body as it came, byte by byte: JSON that is written again has another signature.
  const body = await text(request);
  try {
    // Throws if nobody with the secret has signed it, or if it is more than five minutes old.
    webhook.verify(body, request.headers as Record<string, string>);
  } catch {
    return 401;
  }
  // Messages come at least once: the same id is the same message.
  const id = String(request.headers['webhook-id']);
  if (!handled.has(id)) console.log(`${id} ${body}`);
  handled.add(id);
  return 204;
}

createServer(async (request, response) => response.writeHead(await receive(request).catch(() => 400)).end()).listen(
  Number(PORT),
  '127.0.0.1',
  () => console.log(`Listening on port ${PORT}`),
);
