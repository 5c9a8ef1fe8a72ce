import {
  type Cause,
  causes,
  codeOf,
  type OperationId,
  operations as operationTable,
  ownRefusalsOf,
  repeatOf,
} from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import { describeApi } from './openapi.ts';

/** Properties of the API description on which generators and readers rely. */
// biome-ignore lint/suspicious/noExplicitAny: the tests look at every part of the document
type Json = any;

const document: Json = describeApi(null);
const schemas: Record<string, Json> = document.components.schemas;
const operations = Object.values<Json>(document.paths).flatMap((methods) => Object.values<Json>(methods));

/** Yields every object of the document that has a keyword, with its path. */
function* holding(keyword: string, value: Json = document, path = ''): Generator<[path: string, value: Json]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value) && value[keyword] !== undefined) yield [path, value];
  for (const [key, inner] of Object.entries<Json>(value)) {
    // Examples are data, whatever their keys.
    if (key !== 'examples' && key !== 'example') yield* holding(keyword, inner, `${path}/${key}`);
  }
}
const pathsHolding = (keyword: string, isSelected: (value: Json) => boolean = () => true) =>
  [...holding(keyword)].filter(([, value]) => isSelected(value)).map(([path]) => path);
/** Returns the fields of objects. */
const fields = () =>
  [...holding('properties')].flatMap(([path, { properties }]) =>
    Object.entries<Json>(properties).map(([name, field]): [path: string, field: Json] => [`${path}/${name}`, field]),
  );
const isText = (value: unknown) => typeof value === 'string' && /^\S.*[.]$/s.test(value);

describe('descriptions', () => {
  it('exist for every operation: a summary, and a description in sentences', () => {
    const wordless = operations.filter(({ summary, description }) => !summary || !isText(description));
    expect(wordless.map(({ operationId }) => operationId)).toEqual([]);
  });

  it('exist for every field, parameter, schema, header, answer, tag and security scheme', () => {
    const { headers, responses, securitySchemes } = document.components;
    const parameters = operations.flatMap(({ operationId, parameters: given = [] }) =>
      given.map((parameter: Json) => [`${operationId} ${parameter.name}`, parameter]),
    );
    const answers = operations.flatMap(({ operationId, responses: given }) =>
      Object.entries<Json>(given).map(([status, answer]) => [`${operationId} ${status}`, answer]),
    );
    const described = [
      ...fields(),
      ...parameters,
      ...answers.filter(([, { $ref }]) => $ref === undefined),
      ...[schemas, headers, responses, securitySchemes].flatMap(Object.entries),
      ...document.tags.map((tag: Json) => [tag.name, tag]),
    ] as [string, Json][];
    expect(described.length).toBeGreaterThan(400);
    // A field without a description of its own has that of its schema.
    const wordsOf = ({ description, $ref }: Json) => description ?? schemas[$ref?.split('/').at(-1)]?.description;
    expect(described.filter(([, one]) => !isText(wordsOf(one))).map(([path]) => path)).toEqual([]);
  });
});

it('every cause is explained, and named by the operations that refuse a call for it', () => {
  for (const cause of Object.keys(causes)) expect(document.info.description).toContain(`\n|\`${cause}\`|`);
  for (const { operationId, description } of operations) {
    for (const cause of ownRefusalsOf(operationId as OperationId)) expect(description).toContain(`\`${cause}\``);
  }
});

describe('x-retryable', () => {
  it('says of every operation how to repeat it, and those that need a key take one', () => {
    for (const { operationId, parameters = [], 'x-retryable': retryable } of operations) {
      expect(retryable.repeat).toBe(repeatOf(operationId));
      const takesKey = parameters.some(({ in: place, name }: Json) => place === 'header' && name === 'Idempotency-Key');
      expect([operationId, takesKey]).toEqual([operationId, repeatOf(operationId) === 'key']);
    }
  });

  it('says after which causes the same call can succeed, as decided for each cause that may pass', () => {
    const retries = Object.assign({}, ...operations.map(({ 'x-retryable': { causes: named } }) => named));
    expect(retries).toEqual({
      token_invalid: 'new_token',
      client_token_invalid: 'new_token',
      user_token_invalid: 'new_token',
      nonce_replayed: 'unclear',
      overloaded: 'later',
      channel_paused: 'later',
      request_timeout: 'later',
      secrets_exhausted: 'later',
      service_unavailable: 'unclear',
      outcome_unknown: 'unclear',
    });
    const faults = (Object.keys(causes) as Cause[]).filter((cause) => codeOf(cause, 'order') === '500');
    // Repeats only when an operator has looked at the order.
    expect(faults.filter((cause) => !(cause in retries))).toEqual(['internal_error']);
  });
});

describe('numbers', () => {
  it('are integers with a format', () => {
    expect(pathsHolding('type', ({ type }) => [type].flat().includes('number'))).toEqual([]);
    const whole = [...holding('type')].filter(([, { type }]) => [type].flat().includes('integer'));
    expect(whole.length).toBeGreaterThan(70);
    expect(whole.filter(([, { format }]) => format !== 'int32' && format !== 'int64').map(([path]) => path)).toEqual(
      [],
    );
  });

  it('are int64 for times, and int32 for sequences and counts', () => {
    const formatsOf = (name: RegExp) =>
      new Set(fields().flatMap(([path, { format }]) => (name.test(path) && format !== undefined ? [format] : [])));
    expect(formatsOf(/\/(\w+(Time|Date)|time|limitTimeDuration|departmentId)$/)).toEqual(new Set(['int64']));
    expect(formatsOf(/\/(sequence|total|succeeded|failed|pending|limitConcurrent|page\w+)$/)).toEqual(
      new Set(['int32']),
    );
  });
});

describe('schemas', () => {
  it('have names: objects and enums are never inline', () => {
    const atRoot = /^\/components\/schemas\/\w+$/;
    expect(pathsHolding('properties').filter((path) => !atRoot.test(path))).toEqual([]);
    const words = pathsHolding('enum', (schema) => schema.enum.length > 1).filter((path) => !atRoot.test(path));
    // The token endpoint accepts any value here, and refuses it as RFC 6749 says.
    expect(words).toEqual(['/components/schemas/TokenRequest/properties/grant_type']);
  });

  it('use no keywords that generators interpret differently', () => {
    for (const keyword of ['anyOf', 'allOf', 'const', 'nullable']) expect(pathsHolding(keyword)).toEqual([]);
    expect(pathsHolding('type', ({ type }) => type === 'null').filter((path) => !/\/oneOf\/1$/.test(path))).toEqual([]);
  });

  it('allow additional fields in answers', () => {
    expect(pathsHolding('additionalProperties', (schema) => schema.additionalProperties === false)).toEqual([]);
  });

  it('have a discriminator for orders', () => {
    const mapping = {
      new_buy: '#/components/schemas/NewBuyOrder',
      delete_asset: '#/components/schemas/DeleteAssetOrder',
      delete_product: '#/components/schemas/DeleteProductOrder',
    };
    expect(schemas.Order.discriminator).toEqual({ propertyName: 'orderType', mapping });
  });

  it('name the defaults of parameters', () => {
    const { parameters } = operations.find(({ operationId }) => operationId === 'getBatchResult');
    const defaults = parameters.map(({ name, schema }: Json) => [name, schema.default]);
    expect(Object.fromEntries(defaults)).toMatchObject({ limit: 100, waitSeconds: 0, state: undefined });
  });
});

describe('answers', () => {
  const schemaOf = (answer: Json): string => answer.content['application/json'].schema.$ref;
  const ofModules = () => operations.filter(({ responses }) => responses[299] !== undefined);

  it('are a success or a failure, by status and type of the code', () => {
    expect(ofModules().length).toBe(operations.length - 1);
    const failures = ofModules().map(({ operationId, responses }) => [operationId, schemaOf(responses[299])]);
    const others = failures.filter(([, schema]) => schema !== '#/components/schemas/Failure');
    expect(Object.fromEntries(others)).toEqual({
      addEmployees: '#/components/schemas/AdditionFailure',
      configureEmployees: '#/components/schemas/PrivilegesFailure',
    });
    expect(schemas.Failure.properties.code.type).toBe('string');
    expect(schemas.SuccessCode).toMatchObject({ type: 'integer', enum: [0] });
    for (const { responses } of ofModules()) {
      const success = schemas[schemaOf(responses[200]).split('/').at(-1)!];
      const [first] = success.oneOf ?? [{ $ref: schemaOf(responses[200]) }];
      const { code } = schemas[first.$ref.split('/').at(-1)].properties;
      expect(code.$ref).toBe('#/components/schemas/SuccessCode');
    }
  });

  it('name their headers', () => {
    for (const { operationId, responses } of operations) {
      const headersOf = (status: number) => Object.keys(responses[status]?.headers ?? {});
      const location = operationId === 'createBatchOrder' ? ['location'] : [];
      expect(headersOf(200)).toEqual(['x-request-id', ...location]);
      expect(headersOf(responses[299] ? 299 : 503)).toEqual(['x-request-id', 'retry-after']);
    }
  });
});

describe('security', () => {
  it('says how to get tokens, at the address of the service, and which scope an operation needs', () => {
    const { components, paths }: Json = describeApi('https://example.com/lockstep');
    const { application, user } = components.securitySchemes;
    const tokenUrl = 'https://example.com/lockstep/oauth2/token';
    expect(application.flows).toMatchObject({ clientCredentials: { tokenUrl } });
    expect(user.flows).toMatchObject({ password: { tokenUrl, scopes: { auth_me: expect.any(String) } } });
    const scopes = Object.keys(application.flows.clientCredentials.scopes);
    for (const { module, path, method } of Object.values(operationTable)) {
      const scope = { order: 'auth_order', member: 'auth_me', open: undefined }[module];
      const [way] = paths[path][method.toLowerCase()].security;
      expect([path, way.application]).toEqual([path, scope && [scope]]);
      if (scope !== undefined) expect(scopes).toContain(scope);
    }
  });
});

it('every operation has a unique id, one existing tag, and security', () => {
  const names = operations.map(({ operationId }) => operationId);
  expect(new Set(names)).toEqual(new Set(Object.keys(operationTable)));
  expect(names.length).toBe(new Set(names).size);
  const tags = document.tags.map(({ name }: Json) => name);
  for (const { tags: own, security } of operations) {
    expect(own).toHaveLength(1);
    expect(tags).toContain(own[0]);
    const schemes = security.flatMap((way: object) => Object.keys(way));
    expect(Object.keys(document.components.securitySchemes)).toEqual(expect.arrayContaining(schemes));
    expect(schemes).not.toEqual([]);
  }
});
