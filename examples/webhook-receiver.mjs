// Receives webhooks of Lockstep (Standard Webhooks). It needs only Node.js:
// WEBHOOK_SECRET=whsec_… PORT=9000 node examples/webhook-receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

const TOLERANCE_SECONDS = 5 * 60;
const MIN_KEY_BYTES = 24;
// While a secret is rotated there are two, separated by a space.
const secrets = (process.env.WEBHOOK_SECRET ?? '').trim().split(/\s+/);
const keys = secrets.map((secret) => Buffer.from(secret.replace('whsec_', ''), 'base64'));
// With an empty key, anyone could sign.
if (keys.some((key) => key.length < MIN_KEY_BYTES)) {
  process.stderr.write('Set WEBHOOK_SECRET to the secret of the webhook: whsec_ and at least 32 characters\n');
  process.exit(1);
}
// In production, use a table: insert the id in the transaction that handles the event.
const handled = new Set();

/** Returns whether this body was signed with the secret within the last five minutes. */
function isGenuine({ 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': claims = '' }, body) {
  if (!(Math.abs(Date.now() / 1_000 - Number(seconds)) <= TOLERANCE_SECONDS)) return false;
  const signatures = keys.map((key) => createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest());
  return claims.split(' ').some((claim) => {
    const claimed = claim.startsWith('v1,') ? Buffer.from(claim.slice(3), 'base64') : Buffer.alloc(0);
    return signatures.some((one) => one.length === claimed.length && timingSafeEqual(one, claimed));
  });
}

/** Handles a message. Returns the HTTP status to answer with. Put slow work into a queue of your own. */
async function receive(request) {
  if (!(Number(request.headers['content-length']) <= 100_000)) return 413;
  const body = await buffer(request);
  if (!isGenuine(request.headers, body)) return 401;
  const id = request.headers['webhook-id'];
  if (!handled.has(id)) process.stdout.write(`${id} ${body}\n`);
  handled.add(id);
  return 204;
}

const server = createServer((request, response) => {
  receive(request).then(
    (status) => response.writeHead(status).end(),
    () => response.destroy(),
  );
});
server.listen(Number(process.env.PORT ?? 9_000), '127.0.0.1', () => {
  process.stdout.write(`Listening on port ${server.address().port}\n`);
});
