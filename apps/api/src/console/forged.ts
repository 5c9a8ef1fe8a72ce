import type { IncomingHttpHeaders } from 'node:http';

/** A header that the console sends with each call. Another site's page cannot, without asking the service first. */
export const CONSOLE_HEADER = 'x-lockstep-console';

/** What of a request says where it comes from. */
interface Sent {
  method: string;
  headers: IncomingHttpHeaders;
}

/**
 * Whether a request may come from another page than the console (CSRF). The cookie is SameSite=Strict already; this
 * holds also where a sibling host counts as the same site, and in browsers that do not know the attribute. Whatever
 * speaks of another origin refuses any request, and a change needs something that speaks for this one. `publicUrl`:
 * where browsers find the service, if a proxy stands in front.
 */
export function mayBeForged({ method, headers }: Sent, publicUrl: string | null): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  const { origin, 'sec-fetch-site': site } = headers;
  // A reader who typed the address, or opened a bookmark, comes from nowhere.
  if (site !== undefined && site !== 'same-origin' && !(isRead && site === 'none')) return true;
  const isOurOrigin = origin !== undefined && isOurs(origin, headers.host, publicUrl);
  if (origin !== undefined && !isOurOrigin) return true;
  return !isRead && !isOurOrigin && site === undefined && headers[CONSOLE_HEADER] === undefined;
}

function isOurs(origin: string, host: string | undefined, publicUrl: string | null): boolean {
  if (!URL.canParse(origin)) return false;
  const { host: from, origin: whole } = new URL(origin);
  return from === host || (publicUrl !== null && whole === new URL(publicUrl).origin);
}
