import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';

/** The address that a request comes from, as far as it can be believed. */
export type ClientAddress = (incoming: IncomingMessage) => string;

const forwardedMax = 50;

/**
 * Goes back along `X-Forwarded-For`, from the connection's own end, as long as the address at hand is a trusted proxy.
 * Entries further left were written by untrusted hosts, and are not read.
 * @param trusted addresses and networks (`10.0.0.0/8`), which `isNetwork` has accepted.
 */
export function createClientAddress(trusted: readonly string[]): ClientAddress {
  const connected = (incoming: IncomingMessage): string => plainAddress(incoming.socket.remoteAddress ?? '');
  if (trusted.length === 0) return connected;
  const proxies = networkList(trusted);
  return (incoming) => {
    let address = connected(incoming);
    const forwarded = incoming.headers['x-forwarded-for'];
    const claimed = (Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? ''))
      .split(',')
      .slice(-forwardedMax);
    while (claimed.length > 0 && isTrusted(proxies, address)) {
      const before = plainAddress(claimed.pop()?.trim() ?? '');
      if (isIP(before) === 0) break;
      address = before;
    }
    return address;
  };
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

/** An IPv4 address that came over an IPv6 socket is written as what it is. */
function plainAddress(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = address.toLowerCase().startsWith('::ffff:') ? address.slice(7) : address;
  return isIP(mapped) === 4 ? mapped : address;
}
