import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Clock } from '../../lib/clock.ts';
import { decodeUtf8, parseStrictJson } from '../../lib/formats/strict-json.ts';
import { type GuardedRequest, unansweredReason } from '../../lib/network/guarded-request.ts';
import { Problem } from '../../lib/problem.ts';
import type { FairSlots } from '../../lib/scheduling/fair-slots.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { OrgPlace } from '../automation-deps.ts';
import { blockFailure } from '../blocks/block-failure.ts';
import type { HttpStepRequest, HttpValue } from '../blocks/block-run.ts';
import { type ChainHeader, chainHeaderName } from '../chain-header.ts';
import { Redaction } from '../runs/redaction.ts';
import type { SecretReader } from './secret-vault.ts';

export type OutsideHttp = ReturnType<typeof createOutsideHttp>;

interface CallAbout {
  /** The number of writes and calls that led to one another, this one included. */
  readonly depth: number;
  /** The same each time that the call is sent; an `idempotency-key` of the step goes before it. */
  readonly key?: string;
}

export interface OutsideHttpDeps extends HttpCallDeps {
  readonly secrets: SecretReader;
  readonly chain: Pick<ChainHeader, 'write'>;
  readonly clock: Clock;
  readonly hosts: (env: Environment, orgCode: string) => Promise<readonly string[]>;
}

/** A shorter one would be found in answers where it is not meant. */
const secretCharactersMin = 8;

/** Calls to other systems, as the configuration of an org allows them at the moment of each call. */
export function createOutsideHttp(deps: OutsideHttpDeps) {
  return {
    /**
     * @param place the org that calls: that of the run, whatever its values say.
     * @throws Problem as `callHttp`; `block_failed` for a host that may not be called.
     */
    send: async (place: OrgPlace, ask: HttpStepRequest, { depth, key }: CallAbout): Promise<HttpValue> => {
      const { method, url: address, headers, body, secret } = ask;
      const url = new URL(address);
      assertHost(url, await deps.hosts(place.env, place.orgCode));
      const opened = secret === undefined ? undefined : await headerOf(deps, place, { secret, url });
      const carried = {
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...lowerCased(headers),
        ...opened?.headers,
        [chainHeaderName]: deps.chain.write(depth, deps.clock.now()),
      };
      const value = await callHttp(deps, { org: place.orgCode, url, method, headers: carried, body });
      // Nothing behind this line has the secret, in whatever way the receiver sends it back.
      return opened === undefined ? value : (opened.redaction.of(value) as HttpValue);
    },
  };
}

async function headerOf(
  { secrets }: OutsideHttpDeps,
  { env, orgCode }: OrgPlace,
  { secret, url }: { readonly secret: NonNullable<HttpStepRequest['secret']>; readonly url: URL },
) {
  const { name, header, prefix = '', basic } = secret;
  const opened = await secrets.open(env, orgCode, name);
  // One sentence for each reason: which secrets there are is nothing for callers of blocks.
  const unusable = () => blockFailure('the secret cannot be used for this address');
  if (opened === undefined || opened.value.length < secretCharactersMin) throw unusable();
  const { value, hosts } = opened;
  try {
    assertHost(url, hosts);
  } catch {
    throw unusable();
  }
  const text = basic === undefined ? prefix + value : `Basic ${Buffer.from(`${basic}:${value}`).toString('base64')}`;
  const redaction = new Redaction();
  redaction.hideOf(
    '',
    basic === undefined ? [text, value] : [text, text.slice('Basic '.length), `${basic}:${value}`, value],
  );
  return { headers: { [header.toLowerCase()]: text }, redaction };
}

function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

interface HttpCallDeps {
  readonly request: GuardedRequest;
  readonly slots: FairSlots;
  readonly closing: AbortSignal;
  /** From the wait for a turn to the last byte of the answer. */
  readonly timeoutMilliseconds?: number;
}

export interface HttpCall extends Pick<HttpStepRequest, 'method' | 'headers' | 'body'> {
  readonly url: URL;
  /** Whose turn it takes. */
  readonly org: string;
}

const bytesMax = 256 * 1024;
const headerCharactersMax = 4096;
const answerHeaders = ['content-type', 'location', 'retry-after', 'etag'];

/**
 * Does one call. Each status is an answer; no redirect is followed.
 * @throws Problem `block_failed` where there is no answer, or the answer is too large; `rate_limited` where too many calls of
 * the org wait; `unavailable` where the platform is closing.
 */
export async function callHttp(deps: HttpCallDeps, { org, url, method, body, ...call }: HttpCall): Promise<HttpValue> {
  const { request, slots, closing, timeoutMilliseconds = 20_000 } = deps;
  const sent = textOf(body);
  if (Buffer.byteLength(sent ?? '') > bytesMax) throw blockFailure(`a call sends at most ${bytesMax} bytes`);
  const headers = headersOf(call.headers, body, sent);
  const timeout = AbortSignal.timeout(timeoutMilliseconds);
  const signal = AbortSignal.any([timeout, closing]);
  const ask = { method, headers, signal, ...(sent === undefined ? {} : { body: sent }) };
  try {
    return await slots.run(org, async () => answerOf(await request(url.href, ask)), signal);
  } catch (error) {
    if (error instanceof Problem) throw error;
    if (closing.aborted) throw new Problem('unavailable', 'the platform is closing', {}, error);
    throw blockFailure(timeout.aborted ? `no answer within ${timeoutMilliseconds / 1000} s` : unansweredReason(error));
  }
}

/** A text is sent as it is. */
function textOf(body: unknown): string | undefined {
  return body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
}

function headersOf(
  given: Readonly<Record<string, string>>,
  body: unknown,
  sent: string | undefined,
): Record<string, string | number> {
  for (const [name, value] of Object.entries(given))
    if (value.length > headerCharactersMax || !/^[\t\x20-\x7e]*$/.test(value))
      throw blockFailure(`the header \`${name}\` takes at most ${headerCharactersMax} printable ASCII characters`);
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
  return {
    ...(sent === undefined ? {} : { 'content-type': type }),
    ...given,
    ...(sent === undefined ? {} : { 'content-length': Buffer.byteLength(sent) }),
    'accept-encoding': 'identity',
    'user-agent': 'freehold',
  };
}

async function answerOf(response: IncomingMessage): Promise<HttpValue> {
  const bytes = await bytesOf(response);
  const headers = answerHeaders.flatMap((name) => {
    const value = response.headers[name];
    return typeof value === 'string' ? [[name, value.toWellFormed()]] : [];
  });
  const isEncoded = !['identity', undefined].includes(response.headers['content-encoding']);
  const body = isEncoded ? null : bodyOf(bytes, response.headers['content-type'] ?? '');
  return { status: response.statusCode ?? 0, headers: Object.fromEntries(headers), body };
}

async function bytesOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let read = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    read += chunk.length;
    if (read > bytesMax) throw blockFailure(`an answer has at most ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** JSON where it says that it is, and could be stored; a text; null for what is neither. */
function bodyOf(bytes: Buffer, type: string): unknown {
  const text = refused(() => decodeUtf8(bytes));
  if (text === undefined || text.includes('\0')) return null;
  if (!/^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) return text;
  const json = refused(() => ({ value: parseStrictJson(text) }));
  return json === undefined ? text : json.value;
}

function refused<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/**
 * Whether a host of a list matches a host.
 * @param pattern a host in lower case, or `*.` and a host, which matches all hosts below that one.
 * @param hostname that of a `URL`: in lower case, beyond ASCII as Punycode.
 */
export function matchesHost(pattern: string, hostname: string): boolean {
  if (!pattern.startsWith('*.')) return pattern === hostname;
  const below = pattern.slice(1);
  // The parts of an address of IP are no hosts below each other.
  return isIP(hostname) === 0 && hostname.length > below.length && hostname.endsWith(below);
}

/**
 * @param lists each of which has to hold the host.
 * @throws Problem `block_failed`
 */
export function assertHost({ hostname, username, password, hash }: URL, ...lists: (readonly string[])[]): void {
  const isPlain = username + password + hash === '' && hostname.split('.').every((label) => label !== '');
  const isIn = (list: readonly string[]): boolean => list.some((pattern) => matchesHost(pattern, hostname));
  if (!isPlain || !lists.every(isIn)) throw blockFailure('the host of the address is none of those that may be called');
}
