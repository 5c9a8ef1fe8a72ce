import { Refusal } from '@lockstep/contract';
import { isForbiddenHost } from '../sending/addresses.ts';
import { isUnreachable } from '../sending/name-lookup.ts';

/**
 * Refuses a URL to which messages must not or cannot be sent (rules 6.8), as far as its text and DNS tell now. The
 * sender checks the address again when it connects. If DNS gives no answer, the name is accepted.
 *
 * Throws a Refusal: field_invalid or webhook_address_forbidden. It never repeats the URL, which may contain a secret.
 */
export async function checkUrl(text: string, { allowPrivate }: { allowPrivate: boolean }): Promise<void> {
  const url = URL.parse(text);
  const schemes = allowPrivate ? ['https:', 'http:'] : ['https:'];
  // The WHATWG parser accepts URLs that others don't: without slashes, with backslashes, with spaces inside.
  if (url === null || !/^https?:\/\/[^\s\\]+$/i.test(text) || !schemes.includes(url.protocol)) {
    throw new Refusal('field_invalid', 'url', allowPrivate ? 'url_any' : 'url_https');
  }
  if (url.username !== '' || url.password !== '' || text.split('/')[2]!.includes('@')) {
    throw new Refusal('field_invalid', 'url', 'url_user');
  }
  if (text.includes('#')) throw new Refusal('field_invalid', 'url', 'url_fragment');
  if (allowPrivate) return;
  if (isForbiddenHost(url.hostname) || (await isUnreachable(url.hostname))) {
    throw new Refusal('webhook_address_forbidden', url.hostname);
  }
}
