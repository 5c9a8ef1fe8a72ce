import { credentials, findOperation, type Operation } from '@lockstep/contract';
import { type ApiDocument, listOperations } from './openapi-document.ts';

/** The security schemes of /docs, which fetches both tokens itself. */
const USER_SCHEMES = { application: 'application', user: 'user' } as const;
const SCOPES = { auth_order: 'the order module', auth_me: 'the member center' };

/** Replaces the published ways to send credentials. */
const SECURITY: Record<Operation['module'], Record<string, string[]>[]> = {
  order: [{ [USER_SCHEMES.application]: [] }],
  member: [{ [USER_SCHEMES.application]: [], [USER_SCHEMES.user]: [] }],
  // The form contains the credentials. Sending those of Authorize as well would be a second way, which RFC 6749
  // forbids.
  open: [],
};

interface DocsPage {
  /** The path of PUBLIC_URL; empty without one. */
  publicPath: string;
  /** The appKey of the demo to fill in; null without a demo. */
  demoAppKey: string | null;
  /** The file that contains its secret. */
  demoFile?: string | undefined;
}

/** The document that /docs reads, with the appKey to fill in. */
interface PageDocument extends ApiDocument {
  'x-app-key'?: string;
  'x-demo-file'?: string;
}

/**
 * Adapts the published description for /docs, with the same operations. The page fetches tokens itself (OAuth 2.0
 * client credentials and password), calls the service that serves it, and fills in the appKey of the demo if there is
 * one, but never a secret.
 */
export function describeForPage(published: ApiDocument, { publicPath, demoAppKey, demoFile }: DocsPage): PageDocument {
  const document = structuredClone(published) as PageDocument & { servers?: unknown; info?: { description?: string } };
  document.servers = publicPath === '' ? undefined : [{ url: publicPath }];
  if (demoAppKey !== null) document['x-app-key'] = demoAppKey;
  if (demoFile !== undefined) document['x-demo-file'] = demoFile;
  document.info = { ...document.info, description: introduce(document.info?.description ?? '', demoAppKey, demoFile) };
  const components = (document.components ?? {}) as { securitySchemes?: unknown; schemas?: Record<string, Form> };
  components.securitySchemes = describeSchemes(`${publicPath}${findOperation('issueToken').path}`);
  const { module } = findOperation('issueToken');
  for (const { operation } of listOperations(document)) {
    const described = operation as { security?: Record<string, string[]>[] };
    described.security = SECURITY[moduleOf(described.security ?? []) ?? module];
    for (const parameter of operation.parameters ?? []) {
      // Leaves filters empty, so that a first call finds something.
      if (parameter.required !== true && parameter.name !== 'waitSeconds') delete parameter.example;
      if (parameter.name === 'appKey' && demoAppKey !== null) parameter.example = demoAppKey;
    }
  }
  if (components.schemas?.TokenRequest !== undefined) fillInForm(components.schemas.TokenRequest, demoAppKey);
  return document;
}

interface Form {
  properties?: Record<string, { examples?: unknown[] }>;
}

/** Fills in the known fields of the token form, and empties the others. */
function fillInForm({ properties = {} }: Form, demoAppKey: string | null): void {
  for (const [name, field] of Object.entries(properties)) {
    if (name === 'grant_type') continue;
    // Without an example, the page would fill in a placeholder.
    field.examples = [name === 'client_id' ? (demoAppKey ?? '') : ''];
  }
}

/** Returns the module whose credentials an operation takes. */
function moduleOf(security: Record<string, string[]>[]): Operation['module'] | undefined {
  const asked = JSON.stringify(security.map((schemes) => Object.keys(schemes)));
  return (Object.keys(credentials) as Operation['module'][]).find(
    (name) => JSON.stringify(credentials[name]) === asked,
  );
}

function describeSchemes(tokenUrl: string) {
  return {
    [USER_SCHEMES.application]: {
      type: 'oauth2',
      description: 'The token of your application, for every call. Select no scopes to get all that it has.',
      flows: { clientCredentials: { tokenUrl, scopes: SCOPES } },
    },
    [USER_SCHEMES.user]: {
      type: 'oauth2',
      description:
        'For the member center only, in addition to the token above: the token of an administrator who logs in ' +
        'through your application. This page sends both tokens in the three headers of the member center.',
      flows: { password: { tokenUrl, scopes: SCOPES } },
    },
  };
}

function introduce(description: string, demoAppKey: string | null, demoFile = 'demo.json'): string {
  const secret =
    demoAppKey === null
      ? 'with the key and secret of your application'
      : `with the secret of the demo application, \`appSecret\` in \`${demoFile}\` (the key is filled in)`;
  return [
    description,
    `**To try a call**, press *Authorize* and get a token ${secret}. Then open an operation and press *Execute*. ` +
      'Examples are filled in, and each call gets a new `g_nonce`.' +
      (demoAppKey === null ? '' : ' On fresh demo data, the examples work unchanged, in the order of the interface.'),
    'Programs read [openapi.json](../openapi.json), which describes the credentials as they are sent.',
  ].join('\n\n');
}
