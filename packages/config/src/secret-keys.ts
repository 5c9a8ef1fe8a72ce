/** The keys whose values no log of Lockstep shows. */
export const SECRET_KEYS: ReadonlySet<string> = new Set([
  // Node.js gives the names of headers in lower case.
  'authorization',
  'clientToken',
  'clienttoken',
  'userToken',
  'usertoken',
  'access_token',
  'token',
  'client_secret',
  'appSecret',
  'password',
  'passwords',
  'passwordMobile',
  // Those of webhooks, as answers and columns name them.
  'secret',
  'secrets',
  'old_secret',
]);
