import type { IncomingMessage } from 'node:http';
import { createGuardedRequest, type ResolveHost } from '../../lib/network/guarded-request.ts';

/**
 * Gets a JSON document from an address that an outside party has chosen.
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

export function createFetchJson(options: FetchJsonOptions): FetchJson {
  const { allowPrivateAddresses: isDevelopment, resolve } = options;
  const request = createGuardedRequest({ isDevelopment, ...(resolve === undefined ? {} : { resolve }) });
  const headers = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'freehold' };
  return async (address) => {
    const signal = AbortSignal.timeout(options.timeoutMilliseconds);
    const response = await request(address, { method: 'GET', headers, signal });
    return JSON.parse(await readBody(response, options.bodyBytesMax));
  };
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
