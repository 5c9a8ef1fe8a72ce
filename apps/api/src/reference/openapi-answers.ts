import { type ApiDocument, listOperations } from './openapi-document.ts';

/** The headers of answers, and the answer to a call of no operation (rules 1). */
const COMPONENTS = {
  headers: {
    RequestId: {
      description: 'The id of this call, in the log too: quote it to the operator.',
      required: true,
      schema: { type: 'string' },
    },
    RetryAfter: {
      description: 'With code 500 only: the seconds after which to send the call again, with a new g_nonce.',
      schema: { type: 'integer', format: 'int32' },
    },
    BatchLocation: {
      description:
        'Where the result of the batch is: a path from the root of the host, with its query. Add a g_nonce to it.',
      required: true,
      schema: { type: 'string' },
    },
  },
  responses: {
    NotACall: {
      description: 'No call of an operation: its path, its method, its headers or the way that it came are wrong.',
      headers: { 'x-request-id': { $ref: '#/components/headers/RequestId' } },
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Failure' },
          examples: {
            request_timeout: {
              summary: 'The body did not come',
              value: { code: '408', message: 'The request did not arrive in time.', cause: 'request_timeout' },
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

/** Adds the headers to the answers of operations, and the answer to a call of no operation to both modules. */
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
