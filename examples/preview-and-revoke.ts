// Revokes what a batch names, once its preview fits:
//   npx node examples/preview-and-revoke.ts examples/wrong-revocation.json
import { readFileSync } from 'node:fs';
import { call } from './client.ts';

interface Preview {
  sequence: number;
  state: 'succeeded' | 'failed';
  message: string | null;
  products: { productUri: string; assetNum: string; id: string }[];
  nearest: { productUri: string; assetNum: string; differs: string[] }[];
}

const batch = JSON.parse(readFileSync(process.argv[2]!, 'utf8'));

// A preview says what each order would do now, and changes nothing.
const previews = await call<Preview[]>('/licenseOrder/batchOrder/preview', {}, batch);
for (const { sequence, message, products, nearest } of previews) {
  if (message !== null) console.log(`order ${sequence} would fail: ${message}`);
  for (const { productUri, assetNum, id } of products) console.log(`revokes ${productUri} ${id} on asset ${assetNum}`);
  // If no product matches, these come nearest. Correct the fields in which they differ.
  for (const { productUri, assetNum, differs } of nearest) {
    console.log(`nearest: ${productUri} on asset ${assetNum}, with another ${differs.join(', ')}`);
  }
}

if (previews.some(({ state }) => state === 'failed')) {
  process.exitCode = 1;
} else {
  // Sync: the answer means that it is done. Others may have changed the asset meanwhile: then this is refused.
  await call('/licenseOrder/batchOrder', {}, { ...batch, syncMode: 'sync' });
  console.log('revoked');
}
