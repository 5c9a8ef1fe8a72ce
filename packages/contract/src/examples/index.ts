import type { OperationId } from '../operations/index.ts';
import { ORDER_ROOT } from '../routes.ts';
import { TEST_TYPE } from '../webhooks.ts';
import answers from './answers.json' with { type: 'json' };
import { exampleBatches, KEPT_LOCK, KEPT_LOCK_ID, REGION } from './batches.ts';
import { DEPARTMENT, memberExamples } from './member.ts';
import { CLOUD_EMPLOYEE, type Examples, type ExamplesOf, HEAD_OFFICE } from './operation.ts';
import { orderExamples } from './order.ts';

/** The token endpoint: its errors are those of RFC 6749. */
const issueToken: ExamplesOf<'issueToken'> = {
  bodies: {
    client_credentials: {
      summary: 'Credentials in the form',
      value: {
        grant_type: 'client_credentials',
        client_id: 'your-appKey',
        client_secret: 'your-appSecret',
        scope: 'auth_order auth_me',
      },
    },
    password: {
      summary: 'The userToken of an administrator',
      value: {
        grant_type: 'password',
        client_id: 'your-appKey',
        client_secret: 'your-appSecret',
        username: 'admin@demoworks',
        password: 'your-adminPassword',
        scope: 'auth_me',
      },
    },
  },
  answers: { client_credentials: 'A token for two hours', password: 'A token of the user, for two hours' },
};

/**
 * The examples of all operations, by operationId. On a fresh `npm start` they work in this order: O1 to O9, with the
 * preview of new_buy before O5; M1 to M3, M7, M9 and M10; M5, M6 and M8, which list the changes; M4 and the audit log;
 * webhooks.
 */
const operationExamples: { [Id in OperationId]: ExamplesOf<Id> } = { issueToken, ...orderExamples, ...memberExamples };

/** The examples of any operation. */
export interface SomeExamples {
  bodies?: Examples<unknown>;
  answers: Record<string, Examples<unknown>>;
}

/** The key of an answer in answers.json. A test records that file from a running service. */
export const answerKey = (operationId: string, status: number, name: string) => `${operationId} ${status} ${name}`;

const RECORDED: Record<string, object & { message?: unknown; error_description?: string }> = answers;

/** All examples with their recorded answers, by operationId. */
export const examples = Object.fromEntries(
  Object.entries(operationExamples).map(([operationId, { answers: _summaries, ...sent }]): [string, SomeExamples] => [
    operationId,
    { ...sent, answers: {} },
  ]),
);
for (const [key, value] of Object.entries(RECORDED)) {
  const [operationId, status, name] = key.split(' ') as [OperationId, string, string];
  const summary = operationExamples[operationId].answers[name] ?? String(value.message ?? value.error_description);
  const { answers: named } = examples[operationId]!;
  named[status] ??= {};
  named[status][name] = { summary, value };
}

const OF_CUSTOMER = { customerId: '2001', channelCode: exampleBatches.new_buy.channelCode };
const ASSETS = { assets: [{ assetId: KEPT_LOCK_ID, assetNum: KEPT_LOCK, limitEndDate: 1798761599000 }] };
/** What an event says, by the part of its type before the dot. */
const DATA: Record<string, object> = {
  batch: answers['getEvents 200 new_buy'].data.events[0]!.data,
  licenses: {
    ...OF_CUSTOMER,
    ...{ day: '2026-12-31', leadDays: 30, ...ASSETS, products: [], counts: { assets: 1, products: 0 } },
    list: `${ORDER_ROOT}/assets?customerId=2001&expiresFrom=1798675200000&expiresTo=1798761599999`,
  },
  asset: { ...OF_CUSTOMER, licenseOrderId: null, ...ASSETS, counts: { assets: 1 } },
  webhook: { webhookId: '1', cause: null, sinceTime: 1790000000000 },
  [TEST_TYPE]: {},
};

/** Returns an example of a webhook's message, by the type of its event. */
export const exampleMessage = (type: string) => ({
  ...{ id: type === TEST_TYPE ? 'test_1' : '1', type },
  ...{ timestamp: new Date(1790000000000).toISOString(), time: 1790000000000 },
  data: DATA[type] ?? DATA[type.split('.')[0]!]!,
});

/** Examples of parameters, by name. A name means the same in all operations. */
export const parameterExamples: Record<string, string | number> = {
  // /docs replaces it with a new value for each call.
  g_nonce: 'a-new-one-for-every-call',
  appKey: 'your-appKey',
  channelCode: exampleBatches.new_buy.channelCode,
  channelOrderId: exampleBatches.new_buy.channelOrderId,
  channelCustomerId: HEAD_OFFICE.channelCustomerId,
  defaultCustomer: 'N',
  enterpriseGlobalId: HEAD_OFFICE.enterpriseGlobalId,
  assetNum: KEPT_LOCK,
  extendCode: REGION.extendCode,
  // The first order of a fresh service.
  licenseOrderId: '8192',
  waitSeconds: 10,
  memberGlobalId: CLOUD_EMPLOYEE.globalId,
  assetId: KEPT_LOCK_ID,
  departmentId: DEPARTMENT,
  keyword: CLOUD_EMPLOYEE.userName,
  pageNum: 1,
  pageSize: 20,
  webhookId: '1',
  deliveryId: '1',
};
