import { BlockList, isIP } from 'node:net';

/**
 * Whether an IP address is one of the public Internet, so that a call to it cannot reach what stands beside this
 * server. IPv6 is judged by what is allocated to the public, so that an unforeseen form is refused: IPv4-mapped
 * addresses, 6to4 and Teredo among them. Of NAT64 the well-known prefix is taken, since networks without IPv4 reach
 * everything through it, and the IPv4 address inside is judged.
 */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !special.check(address, 'ipv4');
  return version === 6 && allocated.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

export function isLoopbackAddress(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && loopback.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

const nat64 = '64:ff9b::';
const nat64Bits = 96;

/** IANA's registry of special addresses (RFC 6890), where it says that they are not globally reachable. */
const specialIpv4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Link-local, and with it the metadata services of most clouds.
  ['169.254.0.0', 16],
  // A public address by the registry; in Azure every machine reaches its host's agent there.
  ['168.63.129.16', 32],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Multicast, and all above it.
  ['224.0.0.0', 3],
];

/** The parts of 2000::/3 that are not for everyone: protocol assignments with Teredo, documentation, 6to4. */
const specialIpv6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const special = new BlockList();
for (const [network, prefix] of specialIpv4) {
  special.addSubnet(network, prefix, 'ipv4');
  special.addSubnet(`${nat64}${network}`, nat64Bits + prefix, 'ipv6');
}
for (const [network, prefix] of specialIpv6) special.addSubnet(network, prefix, 'ipv6');

const allocated = new BlockList();
allocated.addSubnet('2000::', 3, 'ipv6');
allocated.addSubnet(nat64, nat64Bits, 'ipv6');

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');
