import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { unreadableBehind } from '../lib/network/network-key.ts';
import { forwardedAddresses, type ProxyHeader, plainAddress } from './forwarded-entries.ts';

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
