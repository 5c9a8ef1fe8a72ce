/**
 * What every answer tells a browser, should one have it: that it is what its type says, stays where it is, and is shown
 * nowhere else. An answer that is for all to see says so itself.
 */
export const SAFE_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};
