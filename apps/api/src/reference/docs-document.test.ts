import { beforeAll, describe, expect, it } from 'vitest';
import { describeApi } from '../description/description.ts';
import { describeForPage } from './docs-document.ts';
import { listOperations } from './openapi-document.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests look at every part of the document
type Json = any;

const DEPLOYED = { publicPath: '', demoAppKey: null };
let published: Json;

beforeAll(async () => {
  published = await describeApi(null);
});

const operationOf = (document: Json, operationId: string): Json =>
  listOperations(document).find(({ operation }) => operation.operationId === operationId)!.operation;
const examplesOf = (document: Json, operationId: string) =>
  Object.fromEntries(operationOf(document, operationId).parameters.map(({ name, example }: Json) => [name, example]));

describe('what /docs reads', () => {
  it('has every operation of the published description, with the same bodies and answers', () => {
    const page: Json = describeForPage(published, DEPLOYED);
    const withoutTries = (document: Json) =>
      listOperations(document).map(({ path, method, operation }) => {
        const { operationId, summary, description, requestBody, responses } = operation as Json;
        return { path, method, operationId, summary, description, requestBody, responses };
      });
    expect(withoutTries(page)).toEqual(withoutTries(published));
  });

  it('fetches its own tokens: one of the application, and for the member center one of a user', () => {
    const page: Json = describeForPage(published, DEPLOYED);
    const { application, user, ...others } = page.components.securitySchemes;
    expect(others).toEqual({});
    expect(application.flows.clientCredentials.tokenUrl).toBe('/oauth2/token');
    expect(user.flows.password.tokenUrl).toBe('/oauth2/token');
    expect(operationOf(page, 'createBatchOrder').security).toEqual([{ application: [] }]);
    expect(operationOf(page, 'listEmployees').security).toEqual([{ application: [], user: [] }]);
    // Its form already contains the credentials.
    expect(operationOf(page, 'issueToken').security).toEqual([]);
  });

  it('uses the path of PUBLIC_URL', () => {
    const page: Json = describeForPage(published, { publicPath: '/lockstep', demoAppKey: null });
    expect(page.servers).toEqual([{ url: '/lockstep' }]);
    expect(page.components.securitySchemes.user.flows.password.tokenUrl).toBe('/lockstep/oauth2/token');
  });

  it('fills in the key of the demo, and never a secret', () => {
    const page: Json = describeForPage(published, { publicPath: '', demoAppKey: 'app_demo' });
    expect(page['x-app-key']).toBe('app_demo');
    expect(examplesOf(page, 'createBatchOrder').appKey).toBe('app_demo');
    const { grant_type: grantType, client_id: clientId, ...fields } = page.components.schemas.TokenRequest.properties;
    expect([grantType.examples, clientId.examples]).toEqual([['client_credentials'], ['app_demo']]);
    for (const field of Object.values<Json>(fields)) expect(field.examples).toEqual(['']);
  });

  it('fills in no filter of a list', () => {
    const page: Json = describeForPage(published, DEPLOYED);
    expect(examplesOf(published, 'listEmployees').keyword).toBeDefined();
    expect(examplesOf(page, 'listEmployees').keyword).toBeUndefined();
    expect(examplesOf(page, 'listEmployees').enterpriseGlobalId).toBeDefined();
    expect(examplesOf(page, 'getBatchResult').waitSeconds).toBeDefined();
  });

  it('does not change the published description', () => {
    const before = structuredClone(published);
    describeForPage(published, { publicPath: '/lockstep', demoAppKey: 'app_demo' });
    expect(published).toEqual(before);
  });
});
