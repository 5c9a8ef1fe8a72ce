/** What the server wrote into the page: the nonce of its styles. Reading `content` gives nothing in a page that is shown. */
export function readStyleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
}

/** Where the console is, behind whatever prefix: `/console`. */
export const CONSOLE_PATH = new URL(document.baseURI).pathname.replace(/\/$/, '');
