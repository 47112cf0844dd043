import { isIP } from 'node:net';
import type { ConsoleSite } from '../api/headers/console-cookie.ts';
import type { RequestHead } from '../api/request.ts';
import type { PasskeySite } from './second-factors/passkeys.ts';

/**
 * Where browsers make and use passkeys: at a host name over https, or on the machine itself. Undefined where the console
 * has no such address. Without FREEHOLD_MANAGEMENT_URL the `Host` of a request is believed if it is `localhost`, which
 * no other site can have.
 */
export function passkeySite(
  { managementUrl }: Pick<ConsoleSite, 'managementUrl'>,
  { headers }: Pick<RequestHead, 'headers'>,
): PasskeySite | undefined {
  const url = URL.parse(managementUrl ?? `http://${headers.host ?? ''}`);
  if (url === null || isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) return undefined;
  const isLocal = url.hostname === 'localhost' || url.hostname.endsWith('.localhost');
  return isLocal || url.protocol === 'https:' ? { host: url.hostname, origin: url.origin } : undefined;
}
