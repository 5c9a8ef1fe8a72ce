const read = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content;

/** The nonce that the server wrote into the page: styles that carry it may be added. */
export function readStyleNonce(): string {
  return read('csp-nonce') ?? '';
}

/** Whether the browser had no session when it loaded the page. */
export function beganWithoutSession(): boolean {
  return read('session') === 'none';
}

/** Where the console is, behind whatever prefix: `/console`. */
export const CONSOLE_PATH = new URL(document.baseURI).pathname.replace(/\/$/, '');
