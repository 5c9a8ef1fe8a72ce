import { credentials, findOperation, type Operation } from '@lockstep/contract';
import { type ApiDocument, listOperations } from './openapi-document.ts';

/** The credentials of the page /docs, by name: it fetches both tokens itself. */
const USER_SCHEMES = { application: 'application', user: 'user' } as const;
const SCOPES = { auth_order: 'the order module', auth_me: 'the member center' };

/** What the page has in place of the published ways to send credentials. */
const SECURITY: Record<Operation['module'], Record<string, string[]>[]> = {
  order: [{ [USER_SCHEMES.application]: [] }],
  member: [{ [USER_SCHEMES.application]: [], [USER_SCHEMES.user]: [] }],
  // The form carries them. Beside it, what Authorize keeps would be a second way, which RFC 6749 forbids.
  open: [],
};

interface DocsPage {
  /** Where the service is below its host: the path of PUBLIC_URL, or nothing. */
  publicPath: string;
  /** The key of the demo application, to be filled in; null where there is none. */
  demoAppKey: string | null;
  /** The file with its secret. */
  demoFile?: string | undefined;
}

/** A document as /docs reads it: with the key that it fills in. */
interface PageDocument extends ApiDocument {
  'x-app-key'?: string;
  'x-demo-file'?: string;
}

/**
 * Makes of the published description the one that the page /docs works with. It describes the same operations. Tokens
 * are asked for by the page (OAuth 2.0 client credentials and password) and not pasted; calls go to where the page is;
 * and nothing is filled in that cannot work: the key of the demo application where there is one, and never a secret.
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
      // Whatever narrows a list stays empty: a first try is to show something.
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

/** Leaves of the form of the token endpoint what can be known, and nothing that would have to be removed first. */
function fillInForm({ properties = {} }: Form, demoAppKey: string | null): void {
  for (const [name, field] of Object.entries(properties)) {
    if (name === 'grant_type') continue;
    // Without an example the page would fill in a word of its own.
    field.examples = [name === 'client_id' ? (demoAppKey ?? '') : ''];
  }
}

/** The module whose credentials an operation takes. */
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
      description: 'The token of your application, for every call. Leave the scopes alone to get all that it has.',
      flows: { clientCredentials: { tokenUrl, scopes: SCOPES } },
    },
    [USER_SCHEMES.user]: {
      type: 'oauth2',
      description:
        'Only for the member center, besides the token above: the token of an administrator who logs in through your ' +
        'application. This page sends the two in the three headers that these calls take.',
      flows: { password: { tokenUrl, scopes: SCOPES } },
    },
  };
}

function introduce(description: string, demoAppKey: string | null, demoFile = 'demo.json'): string {
  const secret =
    demoAppKey === null
      ? 'with the key and the secret of your application'
      : `with the secret of the demo application, \`appSecret\` of \`${demoFile}\`; its key is filled in`;
  return [
    description,
    `**To try a call:** press *Authorize* and ask for a token ${secret}. Open an operation and press *Execute*: it is ` +
      'filled in with an example, and each call gets a new `g_nonce`.' +
      (demoAppKey === null ? '' : ' The examples work as they are on fresh demo data, in the order of the interface.'),
    'For programs the same is in [openapi.json](../openapi.json), with the credentials as they are sent.',
  ].join('\n\n');
}
