import { isIP } from 'node:net';

const unreadable = 'unknown-behind-';

/** In the place of an address: the client of a proxy that wrote none that can be read. @param proxy its address. */
export function unreadableBehind(proxy: string): string {
  return `${unreadable}${proxy}`;
}

/** The address that a request comes from; undefined where it is not known. */
export function knownAddress(ip: string): string | undefined {
  return isIP(ip) === 0 ? undefined : ip;
}

/**
 * The part of an address that its holder cannot choose: all of an IPv4 address, the first 64 bits of an IPv6 one. An
 * IPv4 address in IPv6 clothing is itself, in every spelling. Clients without a readable address share a bucket for each
 * proxy. What is no address at all shares one bucket.
 */
export function networkKey(ip: string): string {
  const [address = ''] = ip.split('%');
  const version = isIP(address);
  if (version === 4) return address;
  if (version === 0) return ip.startsWith(unreadable) ? ip : 'unknown';
  const groups = ipv6Groups(address);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff)
    return groups.slice(6).flatMap(bytesOf).join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The eight groups of an address that `isIP` has found to be IPv6. */
function ipv6Groups(address: string): readonly number[] {
  const [head = '', tail] = address.split('::');
  const before = groupsOf(head);
  if (tail === undefined) return before;
  const after = groupsOf(tail);
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function groupsOf(text: string): readonly number[] {
  if (text === '') return [];
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [Number.parseInt(part, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

function bytesOf(group: number): readonly number[] {
  return [group >> 8, group & 0xff];
}
