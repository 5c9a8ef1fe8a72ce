/** The keys whose values logs redact. */
export const SECRET_KEYS: ReadonlySet<string> = new Set([
  // Node.js lower-cases header names.
  'authorization',
  'clientToken',
  'clienttoken',
  'userToken',
  'usertoken',
  'idempotency-key',
  'access_token',
  'token',
  'client_secret',
  'appSecret',
  'password',
  'passwords',
  'passwordMobile',
  // Webhooks: names of fields and columns.
  'secret',
  'secrets',
  'old_secret',
]);
