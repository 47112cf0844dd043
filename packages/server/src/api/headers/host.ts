import { isIP, isIPv6 } from 'node:net';
import { Problem } from '../../lib/problem.ts';
import type { RequestHead } from '../request.ts';
import type { ConsoleSite } from './console-cookie.ts';

/** The host and port that a request names as its target. The name is in lower case, of IPv6 without brackets. */
export interface Host {
  readonly name: string;
  /** `''` where none is given. */
  readonly port: string;
}

/** RFC 3986, 3.2.2, as far as names of hosts go: no escapes, and none of the signs that a name is never made of. */
const form = /^(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9._-]{1,253}))(?::(\d{0,5}))?$/;

/** The host and port of an authority; undefined where it is none. */
export function readHost(text: string): Host | undefined {
  const [, address, name = '', port = ''] = form.exec(text) ?? [];
  if (address !== undefined ? !isIPv6(address) : name === '') return undefined;
  if (Number(port) > 65_535) return undefined;
  return { name: (address ?? name).toLowerCase(), port };
}

/**
 * For what is open in development to those who reach it: refuses a request to a name that another domain may have
 * pointed at this machine. A page of that name would be of the same origin as the answer, and read it (DNS rebinding);
 * an address, and `localhost`, belong to no domain.
 * @throws Problem `origin_refused`.
 */
export function requireOwnHost({ managementUrl }: Pick<ConsoleSite, 'managementUrl'>, { headers }: RequestHead): void {
  const name = readHost(headers.host ?? '')?.name ?? '';
  if (isIP(name) !== 0 || name === 'localhost' || name.endsWith('.localhost')) return;
  if (managementUrl !== undefined && new URL(managementUrl).hostname === name) return;
  const sentence = 'the `Host` header must name an IP address, `localhost` or the host of FREEHOLD_MANAGEMENT_URL';
  throw new Problem('origin_refused', sentence);
}
