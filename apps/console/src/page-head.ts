const read = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content;

/** The nonce that the service wrote into the page; it permits styles. */
export function readStyleNonce(): string {
  return read('csp-nonce') ?? '';
}

export function beganWithoutSession(): boolean {
  return read('session') === 'none';
}

/** The console's path, with any prefix: `/console`. */
export const CONSOLE_PATH = new URL(document.baseURI).pathname.replace(/\/$/, '');
