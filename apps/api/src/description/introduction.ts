import {
  ACCESS_TOKEN_SECONDS,
  BODY_REFUSALS,
  type Cause,
  COMMON_REFUSALS,
  causes,
  codeOf,
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
  REQUEST_FAULTS,
} from '@lockstep/contract';
import { ORDER_FAILURES } from '@lockstep/contract/words';
import { MAX_EXPORTS_OF_PARTY } from '../calls/exports.ts';

const count = (value: number) => value.toLocaleString('en-US');
const mebibytes = (bytes: number) => `${bytes / 1024 ** 2} MiB`;
const list = (words: readonly Cause[]) => words.map((cause) => `\`${cause}\``).join(', ');

/** Limits of more than one field. The schema of a field has the field's own limit. */
const LIMITS = [
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
  ['Exports at once of an application, an enterprise or an operator', count(MAX_EXPORTS_OF_PARTY)],
  ['Webhooks of an application', count(MAX_WEBHOOKS)],
  ['Lifetime of an access token', `${count(ACCESS_TOKEN_SECONDS)} seconds`],
] as const;

const causeRow = (cause: Cause) => {
  const codes = new Set([codeOf(cause, 'order'), codeOf(cause, 'member')]);
  return `|\`${cause}\`|${[...codes].join(', ')}|${causes[cause].message}|`;
};

/** Introduces the API: how to try a call, and the causes and limits of more than one operation. In Markdown. */
export const INTRODUCTION = `License orders and member center. Every call needs a new \`g_nonce\`. A call succeeded if the \`code\` in the body is the number 0.

To try a call on this page, press Authorize and enter the appKey and appSecret of your application as client_id and client_secret; \`npm start\` writes those of its demo to \`demo.json\` in DATA_DIR. For the member center, also enter the account and password of an administrator under user; those of the demo are in \`demo.json\` too. Then open an operation and press Execute. Each call gets a new \`g_nonce\`.

## Exports

Every list also answers with all entries that match, as a file: send \`Accept: text/csv\` or \`application/x-ndjson\`. It starts at \`cursor\` or \`after\`, if given; the size and number of pages have no effect. An export is complete only if the response ends properly: if it breaks, the service resets the connection.

## Causes

- Every operation: ${list(COMMON_REFUSALS.order)}.
- In the member center also: ${list(COMMON_REFUSALS.member.filter((cause) => !COMMON_REFUSALS.order.includes(cause)))}.
- Every call with a body: ${list(BODY_REFUSALS)}.
- Orders: ${list(ORDER_FAILURES)}.
- Requests that reach no operation: ${list(REQUEST_FAULTS)}.

<details>
<summary>All causes</summary>

If a cause has two codes, the second is that of the member center. \`{0}\` and \`{1}\` stand for the values in \`args\`; in \`{1:limit}\` the value is a word. A part in brackets appears only with its value. Messages can change; causes, codes and the places of values cannot.

|Cause|Code|Message|
|---|---|---|
${(Object.keys(causes) as Cause[]).map(causeRow).join('\n')}

</details>

<details>
<summary>Limits</summary>

|What|Limit|
|---|---|
${LIMITS.map(([what, limit]) => `|${what}|${limit}|`).join('\n')}

</details>
`;
