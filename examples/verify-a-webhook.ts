// Receives webhooks and verifies them with the Standard Webhooks library (npm install standardwebhooks):
// WEBHOOK_SECRET=whsec_… PORT=9000 npx node examples/verify-a-webhook.ts
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

const { WEBHOOK_SECRET = '', PORT = '9000' } = process.env;
const webhook = new Webhook(WEBHOOK_SECRET);
/** In production, use a table: insert the id in the transaction that handles the message. */
const handled = new Set<string>();

/** Handles a message. Returns the HTTP status to answer with. */
async function receive(request: IncomingMessage): Promise<number> {
  if (!(Number(request.headers['content-length']) <= 100_000)) return 413;
  // Verify the original bytes: re-serialized JSON has another signature.
  const body = await text(request);
  try {
    // Throws if the signature is wrong or the message is more than five minutes old.
    webhook.verify(body, request.headers as Record<string, string>);
  } catch {
    return 401;
  }
  // A message may arrive more than once, with the same id.
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
