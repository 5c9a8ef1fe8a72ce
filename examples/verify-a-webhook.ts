// Receives webhooks: WEBHOOK_SECRET=whsec_… PORT=9000 npx node examples/verify-a-webhook.ts
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { verify, WebhookError } from '@lockstep/client/webhooks';

// While a secret is rotated there are two, separated by a space.
const secrets = (process.env.WEBHOOK_SECRET ?? '').trim().split(/\s+/);
const { PORT = '9000' } = process.env;
/** In production, use a table: insert the id in the transaction that handles the message. */
const handled = new Set<string>();

/** Handles a message. Returns the HTTP status to answer with. Put slow work into a queue of your own. */
async function receive(request: IncomingMessage): Promise<number> {
  if (!(Number(request.headers['content-length']) <= 100_000)) return 413;
  // The original text: re-serialized JSON has another signature.
  const body = await text(request);
  try {
    const { id } = await verify(body, request.headers, secrets);
    // A message may arrive more than once, with the same id.
    if (!handled.has(id)) console.log(`${id} ${body}`);
    handled.add(id);
    return 204;
  } catch (error) {
    if (error instanceof WebhookError) return 401;
    throw error;
  }
}

createServer(async (request, response) => response.writeHead(await receive(request).catch(() => 500)).end()).listen(
  Number(PORT),
  '127.0.0.1',
  () => console.log(`Listening on port ${PORT}`),
);
