import {
  type Cause,
  causes,
  codeOf,
  credentials,
  failure,
  findOperation,
  IDEMPOTENCY_KEY,
  type Operation,
  type OperationId,
  operations,
  ownRefusalsOf,
  REQUEST_FAULTS,
  Refusal,
  refusalsOf,
  repeatOf,
  retryOf,
  WEBHOOK_MESSAGES,
} from '@lockstep/contract';
// biome-ignore lint/style/noRestrictedImports: only the description loads the examples
import { exampleMessage, examples, parameterExamples } from '@lockstep/contract/examples';
import { EXPORT_TYPES } from '../calls/exports.ts';
import { INTRODUCTION } from './introduction.ts';
import { describeSchemas, referenceTo, type Schema } from './schemas.ts';

const JSON_TYPE = 'application/json';

/** What a list also answers with (rules 1.1). */
const EXPORTED = Object.fromEntries(Object.keys(EXPORT_TYPES).map((type) => [type, { schema: { type: 'string' } }]));

const TAGS: Record<Operation['module'], { name: string; description: string }> = {
  open: { name: 'Tokens', description: 'Access tokens of applications and of users, valid for two hours.' },
  order: { name: 'Order module', description: 'For applications with the scope auth_order.' },
  member: {
    name: 'Member center',
    description:
      'For applications with the scope auth_me, on behalf of an administrator. Every call carries tokens in three ' +
      'headers and sees only the enterprise of the administrator.',
  },
};

/** What a repeat does, in words (rules 1.2). */
const REPEATS: Record<ReturnType<typeof repeatOf>, string> = {
  safe: 'If you get no answer, repeat the call: that is safe.',
  again: 'If you get no answer, repeat the call: that is safe, unless others changed the same in between.',
  key: `If you get no answer, repeat the call with the same \`${IDEMPOTENCY_KEY}\`: then it cannot take effect twice.`,
};

const KEY_PARAMETER = {
  name: IDEMPOTENCY_KEY,
  in: 'header',
  required: false,
  description:
    'A new random value for each call, such as a UUID. For 24 hours, the same call with the same key gets the answer of ' +
    'the first one.',
  schema: { type: 'string', minLength: 8, maxLength: 255, pattern: '^[!-~]*$' },
};

/** Describes the API in OpenAPI 3.1, from the schemas that check calls. `publicUrl` is the address of the service. */
export function describeApi(publicUrl: string | null): object {
  const all = (Object.keys(operations) as OperationId[]).map((id) => ({ id, operation: findOperation(id) }));
  const { parts, named } = describeSchemas({
    ...WEBHOOK_MESSAGES,
    ...Object.fromEntries(all.flatMap(({ id, operation }) => Object.entries(partsOf(id, operation)))),
  });
  const unnamed = Object.entries(parts).filter(([name, { $ref }]) => /(Request|Answer)$/.test(name) && !$ref);
  const paths: Record<string, Record<string, object>> = {};
  for (const { id, operation } of all) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: describeOperation(id, operation, parts),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Lockstep',
      version: '1',
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
      description: INTRODUCTION,
    },
    // Without a public address, the origin of the description itself.
    servers: [{ url: publicUrl ?? '/' }],
    tags: Object.values(TAGS),
    paths,
    webhooks: Object.fromEntries(
      Object.keys(WEBHOOK_MESSAGES).map((type) => [type, { post: describeMessage(type, parts[type]!) }]),
    ),
    components: {
      ...COMPONENTS,
      schemas: { ...named, ...Object.fromEntries(unnamed) },
      securitySchemes: describeCredentials(publicUrl ?? ''),
    },
  };
}

/** How clients get tokens, and where they send them (rules 2). */
function describeCredentials(root: string) {
  const tokenUrl = `${root}${operations.issueToken.path}`;
  const scopes = { auth_order: 'The order module.', auth_me: 'The member center.' };
  return {
    client: { type: 'http', scheme: 'basic', description: 'appKey and appSecret, here or in the form.' },
    application: {
      type: 'oauth2',
      description: 'An access token of the application, from the grant type client_credentials.',
      flows: { clientCredentials: { tokenUrl, scopes } },
    },
    user: {
      type: 'oauth2',
      description:
        'How to get the token of an administrator. No operation names this scheme, because the token belongs in the ' +
        'header userToken, not into Authorization.',
      flows: { password: { tokenUrl, scopes: { auth_me: scopes.auth_me } } },
    },
    clientToken: {
      type: 'apiKey',
      in: 'header',
      name: 'clientToken',
      description: 'An access token of the same application, with the scope auth_me. It can equal the bearer token.',
    },
    userToken: {
      type: 'apiKey',
      in: 'header',
      name: 'userToken',
      description: 'The access token of an administrator, from the scheme user with the same application.',
    },
  };
}

/** The answer to a request that reached no operation (rules 1). */
const describeRequestFault = (cause: Cause) => ({
  description: causes[cause].message,
  headers: { 'x-request-id': { $ref: '#/components/headers/RequestId' } },
  content: {
    [JSON_TYPE]: {
      schema: referenceTo('Failure'),
      examples: { [cause]: { summary: causes[cause].message, value: failure(new Refusal(cause), 'order') } },
    },
  },
});

/** Those that a client can get although it names an existing path with its method. */
const FAULTS_OF_OPERATIONS = REQUEST_FAULTS.filter((cause) => cause !== 'method_not_allowed');

/** Refers to the answers to a request for `path` that reached no operation, by status. */
function referToFaults(path: string) {
  // A value in the path can be too long, or not be percent-encoded.
  const faults = FAULTS_OF_OPERATIONS.filter((cause) => cause !== 'operation_not_found' || path.includes('{'));
  return Object.fromEntries(
    faults.map((cause) => [codeOf(cause, 'order'), { $ref: `#/components/responses/${cause}` }]),
  );
}

/** The headers of answers, and the answers to requests that reach no operation. */
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
  responses: Object.fromEntries(FAULTS_OF_OPERATIONS.map((cause) => [cause, describeRequestFault(cause)])),
};

/** Returns the schemas of an operation by the names that they get if the contract gives them none. */
function partsOf(id: OperationId, { params, query, body, answers }: Operation) {
  const answered = Object.entries(answers).map(([status, answer]) => [nameAnswer(id, status), answer] as const);
  return {
    ...(params && { [`${capitalize(id)}Path`]: params }),
    ...(query && { [`${capitalize(id)}Query`]: query }),
    ...(body && { [`${capitalize(id)}Request`]: body }),
    ...Object.fromEntries(answered),
  };
}

const capitalize = (id: string) => id.charAt(0).toUpperCase() + id.slice(1);
const nameAnswer = (id: OperationId, status: string) => `${capitalize(id)}${status === '200' ? '' : status}Answer`;

function describeOperation(id: OperationId, operation: Operation, parts: Record<string, Schema>): object {
  const { name, summary, module, path, body, mediaType = JSON_TYPE, answers, description } = operation;
  const causes = ownRefusalsOf(id).map((cause) => `\`${cause}\``);
  const { bodies, answers: answered = {} } = examples[id] ?? {};
  const schemaOf = (name: string) => {
    const { $ref } = parts[name] ?? {};
    return $ref === undefined ? referenceTo(name) : { $ref };
  };
  const responses = Object.keys(answers).map((status) => {
    const name = nameAnswer(id, status);
    const exported = operation.list && status === '200' ? EXPORTED : {};
    const content = { [JSON_TYPE]: { schema: schemaOf(name), examples: answered[status] }, ...exported };
    return [status, { description: parts[name]?.description, headers: describeHeaders(id, status), content }];
  });
  const parameters = [
    ...describeParameters('query', parts[`${capitalize(id)}Query`]),
    ...describeParameters('path', parts[`${capitalize(id)}Path`]),
    ...(repeatOf(id) === 'key' ? [KEY_PARAMETER] : []),
  ];
  const retries = refusalsOf(id).map((cause) => [cause, retryOf(cause)]);
  const request = `${capitalize(id)}Request`;
  return {
    operationId: id,
    // With its name in the interface, if it has one.
    summary: name === undefined ? summary : `${name}: ${summary}`,
    tags: [TAGS[module].name],
    description: [`${description} ${REPEATS[repeatOf(id)]}`, causes.length > 0 && `Causes: ${causes.join(', ')}.`]
      .filter(Boolean)
      .join('\n\n'),
    'x-retryable': { repeat: repeatOf(id), causes: Object.fromEntries(retries.filter(([, retry]) => retry)) },
    security: credentials[module],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: { required: true, content: { [mediaType]: { schema: schemaOf(request), examples: bodies } } },
    }),
    responses: { ...referToFaults(path), ...Object.fromEntries(responses) },
  };
}

/** Describes what a webhook sends for events of a type (rules 6.8). */
function describeMessage(type: string, schema: Schema): object {
  const header = (name: string, description: string, required = true) => ({
    ...{ name, in: 'header', required, description, schema: { type: 'string' } },
  });
  return {
    operationId: type,
    summary: `Message ${type}`,
    tags: [TAGS.order.name],
    description: `What a webhook sends for an event of the type \`${type}\`. EventType says when that happens.`,
    security: [],
    parameters: [
      header('webhook-id', 'The id of the event, the same at each attempt: handle it once.'),
      header('webhook-timestamp', 'When this attempt was made, in seconds since 1970-01-01 UTC.'),
      header('webhook-signature', 'A signature by each secret, separated by spaces (Standard Webhooks).'),
      header('traceparent', 'The trace of the batch (W3C Trace Context), if it has one.', false),
    ],
    requestBody: {
      required: true,
      content: { [JSON_TYPE]: { schema, examples: { event: { summary: type, value: exampleMessage(type) } } } },
    },
    responses: {
      '2XX': { description: 'Received. Any other answer, or none within 15 seconds, leads to a retry.' },
      410: { description: 'The endpoint is gone: disables the webhook.' },
    },
  };
}

function describeParameters(place: 'path' | 'query', { properties = {}, required = [] }: Schema = {}) {
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: required.includes(name),
    description,
    schema,
    ...(name in parameterExamples && { example: parameterExamples[name] }),
  }));
}

function describeHeaders(id: OperationId, status: string) {
  const mayRetry = status === '299' || status === '503';
  const leads = id === 'createBatchOrder' && status === '200';
  return {
    'x-request-id': { $ref: '#/components/headers/RequestId' },
    ...(mayRetry && { 'retry-after': { $ref: '#/components/headers/RetryAfter' } }),
    ...(leads && { location: { $ref: '#/components/headers/BatchLocation' } }),
  };
}
