import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isLoopbackAddress, isPublicAddress } from './public-address.ts';

/**
 * Gets a JSON document from an address that somebody outside has chosen.
 * @throws AddressRefused for an address that must not be called; another Error when there is no usable answer.
 */
export type FetchJson = (address: string) => Promise<unknown>;

export interface FetchJsonOptions {
  /** In development also plain http, and this machine's own addresses; other private addresses never. */
  readonly allowPrivateAddresses: boolean;
  /** From the look-up of the name to the last byte. */
  readonly timeoutMilliseconds: number;
  readonly bodyBytesMax: number;
  readonly resolve?: ResolveHost;
}

export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

/** The address, or what its name stands for, is none that may be called. */
export class AddressRefused extends Error {}

/** Follows no redirect: the place that it leads to is one that nobody has allowed. */
export function createFetchJson(options: FetchJsonOptions): FetchJson {
  const isDevelopment = options.allowPrivateAddresses;
  const protocols = isDevelopment ? ['https:', 'http:'] : ['https:'];
  const mayCall: AddressRule = (ip) => isPublicAddress(ip) || (isDevelopment && isLoopbackAddress(ip));
  const guarded = guardedLookup(options.resolve ?? resolveHost, mayCall);
  return async (address) => {
    const url = URL.parse(address);
    if (url === null || !protocols.includes(url.protocol)) throw new AddressRefused('the scheme is not allowed');
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    // A connection to a literal address looks nothing up.
    if (isIP(host) !== 0 && !mayCall(host)) throw new AddressRefused('the address is not public');
    const response = await send(url, {
      // An agent of its own: none that a setting of the environment sends through a proxy, past the look-up.
      agent: false,
      lookup: guarded,
      signal: AbortSignal.timeout(options.timeoutMilliseconds),
      headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'freehold' },
    });
    return JSON.parse(await readBody(response, options.bodyBytesMax));
  };
}

type AddressRule = (ip: string) => boolean;

const resolveHost: ResolveHost = (host) => lookup(host, { all: true });

/**
 * Judges the addresses that the connection itself is about to use, so that no second answer of the name server can
 * slip in between. One address that must not be called condemns the name.
 */
function guardedLookup(resolve: ResolveHost, mayCall: AddressRule): LookupFunction {
  return (host, options, callback) => {
    resolve(host).then(
      (found) => {
        const [first] = found;
        if (first === undefined || !found.every(({ address }) => mayCall(address)))
          callback(new AddressRefused('the name stands for an address that is not public'), []);
        else if (options.all === true) callback(null, [...found]);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, []),
    );
  };
}

function send(url: URL, options: RequestOptions): Promise<IncomingMessage> {
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const sent = request(url, options, resolve).on('error', reject);
    // All that happens when the server wants to switch to another protocol.
    sent.on('close', () => reject(new Error('the connection ended without an answer')));
    sent.end();
  });
}

async function readBody(response: IncomingMessage, bytesMax: number): Promise<string> {
  if (response.statusCode !== 200) {
    response.destroy();
    throw new Error(`the answer has status ${response.statusCode}`);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
