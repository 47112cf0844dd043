import { createPublicKey, type KeyObject, type webcrypto } from 'node:crypto';
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

const requestHeaders = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'freehold' };

export function createFetchJson(options: FetchJsonOptions): FetchJson {
  const { allowPrivateAddresses: isDevelopment, resolve } = options;
  const request = createGuardedRequest({ isDevelopment, ...(resolve === undefined ? {} : { resolve }) });
  return async (address) => {
    const signal = AbortSignal.timeout(options.timeoutMilliseconds);
    const response = await request(address, { method: 'GET', headers: requestHeaders, signal });
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
  const headers = { ...requestHeaders, 'content-type': 'application/x-www-form-urlencoded' };
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

/** A key of a provider, with the algorithms that it verifies. */
export interface ProviderKey {
  readonly kid: string | undefined;
  readonly algorithms: readonly string[];
  readonly key: KeyObject;
}

/**
 * Reads a JSON Web Key Set (RFC 7517), without the keys that sign no identity tokens: secrets, keys that come with
 * their private half, keys for encryption, weak and overlong ones.
 * @throws Error when it is none.
 */
export function readKeySet(document: unknown): readonly ProviderKey[] {
  const { keys } = membersOf(document);
  if (!Array.isArray(keys)) throw new Error('the answer is no key set');
  return keys.slice(0, keysMax).flatMap((jwk) => readKey(membersOf(jwk)));
}

/**
 * The key that a token's header means: with two that it could be, none. Keys need no id (RFC 7517, 4.5), so a token that
 * names one is also held to a key without an id, if that is the only key of its algorithm.
 */
export function findKey(
  keys: readonly ProviderKey[],
  header: { readonly alg: string; readonly kid: string | undefined },
): ProviderKey | undefined {
  const meant = sameAlgorithm(header.alg);
  const fitting = keys.filter(({ algorithms }) => algorithms.some((name) => name === meant));
  const named = header.kid === undefined ? fitting : fitting.filter(({ kid }) => kid === header.kid);
  if (named.length > 0) return onlyOf(named);
  const only = onlyOf(fitting);
  return only?.kid === undefined ? only : undefined;
}

function onlyOf(keys: readonly ProviderKey[]): ProviderKey | undefined {
  return keys.length === 1 ? keys[0] : undefined;
}

/** RFC 9864, 2.2: of the curve that keys are taken of, `Ed25519` is the name of what `EdDSA` means. */
function sameAlgorithm(name: unknown): unknown {
  return name === 'Ed25519' ? 'EdDSA' : name;
}

/** The members of a JSON object from outside; anything but an object has none. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

const keysMax = 64;
const rsaBitsMin = 2048;
/** Beyond, a single verification costs the platform milliseconds. */
const rsaBitsMax = 8192;
const rsaExponentMax = 0xffffffffn;

/**
 * An allow list: what the types of keys verify. A key that names no algorithm verifies all of its type (RFC 7517, 4.4).
 * No type has a symmetric algorithm, so a public key never counts as a secret, whatever a token says.
 */
const algorithmsOf: ReadonlyMap<string, readonly string[]> = new Map([
  ['RSA', ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']],
  ['EC P-256', ['ES256']],
  ['EC P-384', ['ES384']],
  ['EC P-521', ['ES512']],
  ['OKP Ed25519', ['EdDSA']],
]);

function readKey(jwk: Readonly<Record<string, unknown>>): readonly ProviderKey[] {
  const { kty, crv, kid, use, alg, key_ops: operations, d, n, e, x, y } = jwk;
  const algorithms = algorithmsOf.get([kty, crv].filter((part) => typeof part === 'string').join(' ')) ?? [];
  const verified = alg === undefined ? algorithms : algorithms.filter((name) => name === sameAlgorithm(alg));
  const verifies = operations === undefined || (Array.isArray(operations) && operations.includes('verify'));
  const signs = (use === undefined || use === 'sig') && verifies && d === undefined;
  if (verified.length === 0 || !signs || (kid !== undefined && typeof kid !== 'string')) return [];
  const key = importKey({ kty, crv, n, e, x, y });
  return key === undefined ? [] : [{ kid, algorithms: verified, key }];
}

function importKey(jwk: Readonly<Record<string, unknown>>): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: jwk as webcrypto.JsonWebKey, format: 'jwk' });
    const { modulusLength = rsaBitsMin, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
    return modulusLength >= rsaBitsMin && modulusLength <= rsaBitsMax && publicExponent <= rsaExponentMax
      ? key
      : undefined;
  } catch {
    return undefined;
  }
}
