import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import http, { type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * Sends a request to an address that an outside party has chosen, and gives the answer once its head is there. Follows
 * no redirect, since it leads to an address that was not allowed, and uses no proxy of the environment.
 * @throws AddressRefused for an address that must not be called; another Error when there is no answer.
 */
export type GuardedRequest = (address: string, request: RequestToSend) => Promise<IncomingMessage>;

interface RequestToSend {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string;
  /** Ends the look-up of the name, the connection and the answer. */
  readonly signal: AbortSignal;
  /** Leaves the connection open for a while, and uses a connection that was left open. */
  readonly keepAlive?: true;
}

export interface CallRules {
  /** In development also plain http, and this machine's own addresses; other private addresses never. */
  readonly isDevelopment: boolean;
  /** Private networks that may be called all the same. */
  readonly alsoAllowed?: BlockList;
  readonly resolve?: ResolveHost;
}

export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

/** The address, or an address that its name resolves to, may not be called. */
export class AddressRefused extends Error {}

/** Why a request got no answer. Errors of connections have codes such as `ECONNREFUSED`, and messages that name addresses. */
export function unansweredReason(error: unknown): string {
  if (error instanceof AddressRefused) return error.message;
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return `there was no answer${code}`;
}

export function createGuardedRequest(rules: CallRules): GuardedRequest {
  const lookup = guardedLookup(rules.resolve ?? resolveHost, (ip) => mayCall(rules, ip));
  // None that a setting of the environment sends through a proxy, past the look-up.
  const agents = { 'https:': new https.Agent(connections), 'http:': new http.Agent(connections) };
  return async (address, { keepAlive, ...request }) => {
    const url = callableUrl(address, rules);
    if (keepAlive === undefined) return send(url, request, { lookup, agent: false });
    const agent = agents[url.protocol === 'https:' ? 'https:' : 'http:'];
    return send(url, request, { lookup, agent }).catch((error: unknown) => {
      // The receiver ended the connection that was left open, as it may at any time.
      if (error instanceof EndedConnection) return send(url, request, { lookup, agent: false });
      throw error;
    });
  };
}

/** A connection without a call ends after five seconds. */
const connections = { keepAlive: true, maxFreeSockets: 256, timeout: 5000 };

class EndedConnection extends Error {}

/**
 * The address, as far as its text tells that it may be called: the addresses of a name are judged when it is called.
 * @throws AddressRefused
 */
export function callableUrl(address: string, rules: CallRules): URL {
  const url = URL.parse(address);
  const protocols = rules.isDevelopment ? ['https:', 'http:'] : ['https:'];
  if (url === null || !protocols.includes(url.protocol)) throw new AddressRefused('the scheme is not allowed');
  const host = hostOf(url);
  // A connection to a literal address looks nothing up.
  if (isIP(host) !== 0 && !mayCall(rules, host)) throw new AddressRefused('the address is not public');
  return url;
}

/** These names stand for this machine wherever they are looked up (RFC 6761). */
const localName = /(^|\.)localhost\.?$/;

function hostOf({ hostname }: URL): string {
  return localName.test(hostname) ? '127.0.0.1' : hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Why an address will never be called, as far as its text tells; undefined where it may be. */
export function whyNeverCalled(address: string, rules: CallRules): string | undefined {
  try {
    callableUrl(address, rules);
    return undefined;
  } catch (error) {
    if (error instanceof AddressRefused) return error.message;
    throw error;
  }
}

function mayCall({ isDevelopment, alsoAllowed }: CallRules, ip: string): boolean {
  if (isPublicAddress(ip) || (isDevelopment && isLoopbackAddress(ip))) return true;
  return alsoAllowed?.check(ip, isIP(ip) === 6 ? 'ipv6' : 'ipv4') ?? false;
}

const resolveHost: ResolveHost = (host) => lookup(host, { all: true });

/**
 * Judges the addresses that the connection itself is about to use, so that no second answer of the name server can
 * slip in between. One address that must not be called condemns the name.
 */
function guardedLookup(resolve: ResolveHost, isAllowed: (ip: string) => boolean): LookupFunction {
  return (host, options, callback) => {
    resolve(host).then(
      (found) => {
        const [first] = found;
        if (first === undefined || !found.every(({ address }) => isAllowed(address)))
          callback(new AddressRefused('the name resolves to an address that is not public'), []);
        else if (options.all === true) callback(null, [...found]);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, []),
    );
  };
}

function send(
  url: URL,
  { body, ...request }: Omit<RequestToSend, 'keepAlive'>,
  connecting: { readonly lookup: LookupFunction; readonly agent: http.Agent | false },
): Promise<IncomingMessage> {
  const { request: open } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const sent = open(url, { ...request, ...connecting }, resolve).on('error', (error: NodeJS.ErrnoException) => {
      const isLeftOpen = sent.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      reject(isLeftOpen ? new EndedConnection('', { cause: error }) : error);
    });
    // All that happens when the server wants to switch to another protocol.
    sent.on('close', () => reject(new Error('the connection ended without an answer')));
    sent.end(body);
  });
}

/**
 * Whether an IP address is one of the public Internet, so that a call to it cannot reach the neighbours of this server.
 * IPv6 is judged by the ranges that are allocated to the public, so that an unforeseen form is refused: IPv4-mapped
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
