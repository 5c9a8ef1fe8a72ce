const EXAMPLE = 'such as https://licences.example.com or https://example.com/lockstep';

/** The address, or what is wrong with it. */
type PublicUrl = { url: string; fault?: never } | { fault: string; url?: never };

/**
 * Reads the address at which clients find the service: http or https, a host, and a path prefix if the proxy removes
 * one. It refuses what must not end up in answers and in the published description: a user, a password, a query, a
 * fragment. The address that it returns does not end with a slash. A fault says what to write instead, and quotes
 * nothing.
 */
export function readPublicUrl(text: string): PublicUrl {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) return { fault: `must be an http or https address, ${EXAMPLE}` };
  if (url.username !== '' || url.password !== '') {
    return { fault: 'must hold no user and no password: everybody can read it in the API description' };
  }
  if (/[?#]/.test(url.href)) return { fault: `must end with its path, without ? and #, ${EXAMPLE}` };
  const path = url.pathname.replace(/\/+$/, '');
  // A client would read a host after two slashes.
  if (path.includes('//')) return { fault: `must have one slash between the parts of its path, ${EXAMPLE}` };
  return { url: url.origin + path };
}
