import {
  ACCESS_TOKEN_SECONDS,
  MAX_BATCH_BYTES,
  MAX_BODY_BYTES,
  MAX_COUNTED,
  MAX_EXTENDED_ATTRIBUTES,
  MAX_FORM_BYTES,
  MAX_INSTANCES,
  MAX_INSTANCES_ON_ASSET,
  MAX_INSTANCES_TOGETHER,
  MAX_ORDERS_PER_BATCH,
  MAX_TEXT_BYTES,
  MAX_WEBHOOKS,
} from '@lockstep/contract';

const count = (value: number) => value.toLocaleString('en-US');
const mebibytes = (bytes: number) => `${bytes / 1024 ** 2} MiB`;

/** Limits of more than one field. Limits of one field are in its description. */
export const LIMITS: readonly (readonly [what: string, limit: string])[] = [
  ['Orders in a batch', count(MAX_ORDERS_PER_BATCH)],
  ['Body of createBatchOrder and previewBatchOrder', mebibytes(MAX_BATCH_BYTES)],
  ['Body of issueToken', `${MAX_FORM_BYTES / 1024} KiB`],
  ['Any other body', mebibytes(MAX_BODY_BYTES)],
  ['Products and merchandise that a batch asks for, or an order changes', count(MAX_INSTANCES)],
  ['Products and merchandise that a sync batch or a preview changes', count(MAX_INSTANCES_TOGETHER)],
  ['Products, merchandise and grants on the assets that a purchase names', count(MAX_COUNTED)],
  ['Text that a batch stores', mebibytes(MAX_TEXT_BYTES)],
  ['Active products and merchandise on an asset, and grants', count(MAX_INSTANCES_ON_ASSET)],
  ['Extended attributes of an asset', count(MAX_EXTENDED_ATTRIBUTES)],
  ['Webhooks of an application', count(MAX_WEBHOOKS)],
  ['Lifetime of an access token', `${count(ACCESS_TOKEN_SECONDS)} seconds`],
];
