/**
 * Security headers of every answer, in case a browser gets it: take it for what its type says, do not cache it, do not
 * show it in other pages. A public answer overrides them.
 */
export const SAFE_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};
