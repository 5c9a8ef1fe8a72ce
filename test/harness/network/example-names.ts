import { Resolver } from 'node:dns/promises';

/** Names for examples (RFC 2606), which exist nowhere, resolve to a public address, so that they can be webhooks. */
const ADDRESS = '8.8.8.8';

const { resolve4 } = Resolver.prototype as { resolve4: (name: string) => Promise<string[]> };
Object.assign(Resolver.prototype, {
  resolve4(this: Resolver, name: string): Promise<string[]> {
    return name.endsWith('.example') ? Promise.resolve([ADDRESS]) : resolve4.call(this, name);
  },
});
