import { Problem } from '../../lib/problem.ts';
import type { RequestHead } from '../request.ts';
import { readBearerToken, twoCredentials } from './read-token.ts';

/** The address of the management gateway, as far as it is known beforehand. */
export interface ConsoleSite {
  readonly managementUrl: string | undefined;
  /** Whether browsers may send the session over https alone. */
  readonly isSecure: boolean;
}

/** The address of the gateway's own pages: the address that was set, or the target of the request. */
export function siteUrl({ managementUrl }: ConsoleSite, { headers }: RequestHead): string {
  return managementUrl ?? `http://${headers.host ?? ''}`;
}

/**
 * The same for links in mails. A caller who requests a mail to another person chooses the `Host` of the request, and
 * must not choose where the link leads.
 */
export function mailedUrl({ managementUrl }: ConsoleSite, { socket }: RequestHead): string {
  return managementUrl ?? `http://localhost:${socket.localPort ?? 0}`;
}

/**
 * The token of a management call: a bearer token, or the console's cookie. A cookie comes along with whatever a
 * browser sends, so what it is to change must come from a page of this very site.
 * @throws Problem `invalid_request`, `token_missing`, `token_invalid`, `origin_refused`.
 */
export function readSession(site: ConsoleSite, incoming: RequestHead): string {
  const cookie = cookieOf(site, incoming);
  if (cookie === undefined || !isCookieCall(incoming)) {
    const token = readBearerToken(incoming);
    if (cookie !== undefined && cookie !== token) throw twoCredentials();
    return token;
  }
  const { origin } = incoming.headers;
  const isOwn = origin !== undefined && origin === URL.parse(siteUrl(site, incoming))?.origin;
  if (incoming.method !== 'GET' && incoming.method !== 'HEAD' && !isOwn)
    throw new Problem('origin_refused', 'a call with a cookie must come from a page of this origin');
  return cookie;
}

/** Whether a call that is let in was let in by its cookie. */
export function isCookieCall({ headers }: RequestHead): boolean {
  return headers.authorization === undefined;
}

export function sessionCookie(site: ConsoleSite, token: string, seconds: number): string {
  const secure = site.isSecure ? '; Secure' : '';
  return `${cookieName(site)}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

/** With this prefix a browser takes the cookie from this host alone and over https alone (RFC 6265bis, 4.1.3.2). */
function cookieName({ isSecure }: ConsoleSite): string {
  return isSecure ? '__Host-freehold' : 'freehold';
}

function cookieOf(site: ConsoleSite, { headers }: RequestHead): string | undefined {
  const prefix = `${cookieName(site)}=`;
  const found = (headers.cookie ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix));
  const [first, ...others] = found;
  // Another site of the domain may have set the other one.
  if (others.some((other) => other !== first)) throw twoCredentials();
  return first?.slice(prefix.length);
}
