import type { IncomingMessage } from 'node:http';
import { type Host, readHost } from '../../api/headers/host.ts';
import { secretToken } from '../../lib/ids.ts';
import { Problem } from '../../lib/problem.ts';

/**
 * The fault in a request's target, if any: a request names one host, once or twice (RFC 9112, 3.2). A target in
 * absolute form is brought into origin form, which all that follows reads.
 */
export function faultOfTarget(incoming: IncomingMessage): Problem | undefined {
  const { headers, httpVersionMinor, url = '' } = incoming;
  const count = hostsOf(incoming);
  // A second one would let two readers see two addresses in one request.
  if (count > 1 || (count === 0 && httpVersionMinor !== 0))
    return new Problem('invalid_request', 'a request must have exactly one `Host` header');
  const { host } = headers;
  if (host !== undefined && host !== lastHost) {
    if (readHost(host) === undefined) return new Problem('invalid_request', 'the `Host` header names no host');
    lastHost = host;
  }
  return url.startsWith('/') ? undefined : faultOfAbsolute(incoming, url);
}

/** Most requests say what the one before said. */
let lastHost: string | undefined;

const absolute = /^(https?):\/\/([^/?#]*)([^#]*)$/i;

function faultOfAbsolute(incoming: IncomingMessage, url: string): Problem | undefined {
  const [, scheme = '', authority = '', rest = ''] = absolute.exec(url) ?? [];
  // A target that is no address at all has no path either.
  if (scheme === '') return undefined;
  const target = readHost(authority);
  if (target === undefined) return new Problem('invalid_request', 'the request target names no host');
  const { host } = incoming.headers;
  const named = host === undefined ? target : readHost(host);
  if (named === undefined || !isSame(target, named, scheme.toLowerCase() === 'https' ? '443' : '80'))
    return new Problem('invalid_request', 'the request target and `Host` name two hosts');
  incoming.url = rest.startsWith('/') ? rest : `/${rest}`;
  return undefined;
}

function isSame(one: Host, other: Host, port: string): boolean {
  return one.name === other.name && (one.port || port) === (other.port || port);
}

function hostsOf({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/** Ids that no other process gives: a random beginning and a count. */
export function createRequestIds(): () => string {
  const boot = secretToken()
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, 10);
  let count = 0;
  return () => {
    count += 1;
    return `${boot}-${count.toString(36)}`;
  };
}
