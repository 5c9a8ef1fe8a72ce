/** What tests use of oidc-provider, which has no types of its own. */
declare module 'oidc-provider' {
  interface Context {
    path: string;
    body: unknown;
    status: number;
    type: string;
  }
  /** Who logs in to what. */
  export interface Parts {
    provider: Provider;
    session: { accountId: string };
    client: { clientId: string };
  }
  export class Provider {
    constructor(issuer: string, configuration: object);
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void;
    callback(): import('node:http').RequestListener;
    Grant: new (of: {
      accountId: string;
      clientId: string;
    }) => { addOIDCScope(scope: string): void; save(): Promise<string> };
  }
}
