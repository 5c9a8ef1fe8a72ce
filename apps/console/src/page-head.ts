const read = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content;

/** The nonce that the service wrote into the page; it permits styles. */
export function readStyleNonce(): string {
  return read('csp-nonce') ?? '';
}

export function beganWithoutSession(): boolean {
  return read('session') === 'none';
}

/** The host of the provider by which operators log in; empty if by password only. */
export const LOGIN_PROVIDER = read('login-provider') ?? '';

export const HAS_PASSWORD_LOG_IN = read('password-log-in') !== 'off';

/** The console's path, with any prefix: `/console`. */
export const CONSOLE_PATH = new URL(document.baseURI).pathname.replace(/\/$/, '');

let providerReturn = location.pathname === `${CONSOLE_PATH}/log-in` ? location.search : '';
if (new URLSearchParams(providerReturn).has('state')) history.replaceState(null, '', location.pathname);
else providerReturn = '';

/**
 * Returns once the parameters with which the login provider sent the browser here, otherwise an empty text. They leave
 * the address when the page loads.
 */
export function takeProviderReturn(): string {
  const taken = providerReturn;
  providerReturn = '';
  return taken;
}
