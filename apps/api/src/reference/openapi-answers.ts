import { failure } from '@lockstep/contract';
import { type ApiDocument, listOperations } from './openapi-document.ts';

/** The headers of answers, and the answer to requests that reach no operation (rules 1). */
const COMPONENTS = {
  headers: {
    RequestId: {
      description: 'The id of this call. Quote it when you contact the operator.',
      required: true,
      schema: { type: 'string' },
    },
    RetryAfter: {
      description: 'With code 500 only: seconds to wait before you retry with a new g_nonce.',
      schema: { type: 'integer', format: 'int32' },
    },
    BatchLocation: {
      description: 'The path of the result of the batch, with its query. Add a g_nonce.',
      required: true,
      schema: { type: 'string' },
    },
  },
  responses: {
    NotACall: {
      description: 'The request reached no operation: its path, method, headers or framing are wrong.',
      headers: { 'x-request-id': { $ref: '#/components/headers/RequestId' } },
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Failure' },
          examples: {
            request_timeout: {
              summary: 'The body did not arrive',
              value: failure('request_timeout', 'order'),
            },
          },
        },
      },
    },
  },
};

const REQUEST_ID = { 'x-request-id': { $ref: '#/components/headers/RequestId' } };
const RETRY_AFTER = { 'retry-after': { $ref: '#/components/headers/RetryAfter' } };
const LOCATION = { location: { $ref: '#/components/headers/BatchLocation' } };

/** Adds the headers to all answers, and the answer to requests that reach no operation to both modules. */
export function withAnswers<Api extends ApiDocument>(document: Api): Api {
  const described = structuredClone({ ...document, components: { ...document.components, ...COMPONENTS } });
  for (const { operation } of listOperations(described)) {
    const { operationId, responses = {} } = operation;
    for (const [status, answer] of Object.entries(responses)) {
      const mayRetry = status === '299' || status === '503';
      const leads = operationId === 'createBatchOrder' && status === '200';
      answer.headers = { ...REQUEST_ID, ...(mayRetry && RETRY_AFTER), ...(leads && LOCATION) };
    }
    if (responses[299] !== undefined) responses['4XX'] = { $ref: '#/components/responses/NotACall' };
  }
  return described;
}
