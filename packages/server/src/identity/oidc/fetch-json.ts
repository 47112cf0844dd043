import type { IncomingMessage } from 'node:http';
import { createGuardedRequest, type ResolveHost } from '../../lib/network/guarded-request.ts';

/**
 * Gets a JSON document from an address that an outside party has chosen.
 * @throws AddressRefused for an address that must not be called; another Error when there is no usable answer.
 */
export type FetchJson = (address: string) => Promise<unknown>;

/** There is an answer, and it is none that can be used: its message says why. */
export class UnusableAnswer extends Error {}

export interface FetchJsonOptions {
  /** In development also plain http, and this machine's own addresses; other private addresses never. */
  readonly allowPrivateAddresses: boolean;
  /** From the look-up of the name to the last byte. */
  readonly timeoutMilliseconds: number;
  readonly bodyBytesMax: number;
  readonly resolve?: ResolveHost;
}

const asked = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'freehold' };

export function createFetchJson(options: FetchJsonOptions): FetchJson {
  const { allowPrivateAddresses: isDevelopment, resolve } = options;
  const request = createGuardedRequest({ isDevelopment, ...(resolve === undefined ? {} : { resolve }) });
  return async (address) => {
    const signal = AbortSignal.timeout(options.timeoutMilliseconds);
    const response = await request(address, { method: 'GET', headers: asked, signal });
    if (response.statusCode !== 200) {
      response.destroy();
      throw new UnusableAnswer(`the answer has status ${response.statusCode}`);
    }
    return parse(await readBody(response, options.bodyBytesMax));
  };
}

/** Sends a form to an address that an outside party has chosen. @throws AddressRefused; another Error without a usable answer. */
export type PostForm = (address: string, form: Readonly<Record<string, string>>) => Promise<FormAnswer>;

export interface FormAnswer {
  readonly status: number;
  /** The JSON of the answer, which a refusal has too. */
  readonly body: unknown;
}

export function createPostForm(options: FetchJsonOptions): PostForm {
  const { allowPrivateAddresses: isDevelopment, resolve } = options;
  const request = createGuardedRequest({ isDevelopment, ...(resolve === undefined ? {} : { resolve }) });
  const headers = { ...asked, 'content-type': 'application/x-www-form-urlencoded' };
  return async (address, form) => {
    const signal = AbortSignal.timeout(options.timeoutMilliseconds);
    const body = new URLSearchParams(form).toString();
    const response = await request(address, { method: 'POST', headers, body, signal });
    return { status: response.statusCode ?? 0, body: parse(await readBody(response, options.bodyBytesMax)) };
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UnusableAnswer('the answer is no JSON', { cause: error });
  }
}

async function readBody(response: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new UnusableAnswer('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
