import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4, isIPv6, SocketAddress } from 'node:net';
import { unreadableBehind } from '../lib/network/network-key.ts';

/**
 * The address that a request comes from, as far as it can be believed. Where the last proxy that is trusted wrote none that
 * can be read, it is `unreadableBehind` that proxy, and no address.
 */
export type ClientAddress = (incoming: IncomingMessage) => string;

const proxiesMax = 50;

/**
 * Goes back along the header of the proxies, from the connection's own end, as long as the address at hand is a trusted
 * proxy. Entries further left were written by untrusted hosts, and are not read. A trusted host without the header calls
 * for itself.
 * @param trusted addresses and networks (`10.0.0.0/8`), which `isNetwork` has accepted.
 */
export function createClientAddress(trusted: readonly string[], header: ProxyHeader): ClientAddress {
  if (trusted.length === 0) return connectedAddress;
  const proxies = networkList(trusted);
  return (incoming) => {
    let address = connectedAddress(incoming);
    const written = incoming.headers[header];
    if (written === undefined) return address;
    let known = 0;
    for (const before of forwardedAddresses(header, [written].flat().join(','))) {
      if (!isTrusted(proxies, address)) return address;
      if (before === undefined || known >= proxiesMax) return unreadableBehind(address);
      address = before;
      known += 1;
    }
    return address;
  };
}

/** Of the other end of the connection, without its zone; empty where the connection is gone. */
function connectedAddress({ socket }: IncomingMessage): string {
  const [address = ''] = (socket.remoteAddress ?? '').split('%');
  return plainAddress(address) ?? '';
}

/** Whether a text is an IP address, or one with the length of a network's prefix behind a `/`. */
export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  if (isIP(address) === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (isIPv6(address) ? 128 : 32));
}

/** @param networks which `isNetwork` has accepted. */
export function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = familyOf(address);
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

function isTrusted(proxies: BlockList, address: string): boolean {
  return isIP(address) !== 0 && proxies.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

/** The header in which the proxies of an installation say where a request came from. The other one is a client’s own. */
export const proxyHeaders = ['x-forwarded-for', 'forwarded'] as const;
export type ProxyHeader = (typeof proxyHeaders)[number];

/** Far longer than any that a proxy writes: of a longer one nothing is read. */
const entryLengthMax = 512;

/**
 * The addresses that proxies wrote into a header, the latest first; undefined for an entry that names none that can be
 * read. It goes from right to left, since a proxy writes behind what it was sent: nothing that a client has written, an
 * open quotation mark included, changes how an entry to the right of it is read. No more is looked at than is asked for.
 */
function* forwardedAddresses(header: ProxyHeader, value: string): Generator<string | undefined, void> {
  let end = value.length;
  while (end >= 0) {
    const comma = commaBefore(value, end);
    if (comma === undefined) {
      yield undefined;
      return;
    }
    const entry = value.slice(comma + 1, end).trim();
    yield header === 'forwarded' ? clientOf(entry) : addressIn(unquoted(entry));
    end = comma;
  }
}

/** The index of the comma before the last entry, -1 where that is the first; undefined where it has no beginning. */
function commaBefore(value: string, end: number): number | undefined {
  let isQuoted = false;
  for (let at = end - 1; at >= end - entryLengthMax; at--) {
    if (at < 0) return isQuoted ? undefined : -1;
    const character = value[at];
    if (character === '"') isQuoted = !isQuoted || isEscaped(value, at);
    if (character === ',' && !isQuoted) return at;
  }
  return undefined;
}

/** Whether an odd number of backslashes is in front. */
function isEscaped(value: string, at: number): boolean {
  let first = at;
  while (value[first - 1] === '\\' && at - first < entryLengthMax) first -= 1;
  return (at - first) % 2 === 1;
}

/** One `name=value` of an element, with what separates it from the next (RFC 7239, 4). A value that is no token is taken too. */
const pair = /[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=("(?:[^"\\]|\\.)*"|[^\s",;]+)[ \t]*)?(?:;|$)/y;

/** The one `for` of an element of `Forwarded`, where the whole element can be read. */
function clientOf(element: string): string | undefined {
  const clients: string[] = [];
  pair.lastIndex = 0;
  while (pair.lastIndex < element.length) {
    const [, name, value = ''] = pair.exec(element) ?? [undefined];
    if (pair.lastIndex === 0) return undefined;
    if (name?.toLowerCase() === 'for') clients.push(unquoted(value));
  }
  const [client, ...others] = clients;
  return client === undefined || others.length > 0 ? undefined : addressIn(client);
}

/** A quoted string is what its marks and backslashes leave (RFC 9110, 5.6.4). */
function unquoted(text: string): string {
  return /^"(?:[^"\\]|\\.)*"$/.test(text) ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text;
}

/** An address, IPv6 in brackets or without, and behind it a port, which may be hidden (RFC 7239, 6). */
const node = /^(?:\[([^\]]*)\]|([\d.]+))(?::(?:\d{1,5}|_[\w.-]+))?$/;

function addressIn(text: string): string | undefined {
  const [, bracketed, plain] = node.exec(text) ?? [];
  if (bracketed !== undefined) return isIPv6(bracketed) ? plainAddress(bracketed) : undefined;
  return plainAddress(plain ?? text);
}

/**
 * An address as it is written everywhere (RFC 5952), and an IPv4 address in IPv6 clothing as what it is. Undefined for
 * another text, and for one with a zone, which means something on the machine of its writer alone.
 */
function plainAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const { address } = new SocketAddress({ address: text, family: 'ipv6' });
  const mapped = address.startsWith('::ffff:') ? address.slice(7) : '';
  return isIPv4(mapped) ? mapped : address;
}
