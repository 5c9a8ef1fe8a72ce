// Previews a revocation, then revokes if every order would succeed:
//   npx node examples/preview-and-revoke.ts examples/wrong-revocation.json
import { readFileSync } from 'node:fs';
import { lockstep } from './client.ts';

const batch = JSON.parse(readFileSync(process.argv[2]!, 'utf8'));

// A preview shows what each order would do now, and changes nothing.
const { orders } = await lockstep.orders.preview(batch);
for (const { sequence, message, products, nearest } of orders) {
  if (message !== null) console.log(`order ${sequence} would fail: ${message}`);
  for (const { productUri, assetNum, id } of products) console.log(`revokes ${productUri} ${id} on asset ${assetNum}`);
  // If no product matches, these are the nearest ones. Correct the fields that differ.
  for (const { productUri, assetNum, differs } of nearest) {
    console.log(`nearest: ${productUri} on asset ${assetNum}, which differs in ${differs.join(', ')}`);
  }
}

if (orders.some(({ state }) => state === 'failed')) {
  process.exitCode = 1;
} else {
  // In sync mode the answer means that the batch took effect. If the asset has changed meanwhile, the call is refused.
  await lockstep.orders.submit({ ...batch, syncMode: 'sync' });
  console.log('revoked');
}
