import { inboundHooksApi } from '@freehold/contract/features/hooks';
import { json } from '../../api/reply.ts';
import type { BodyStream } from '../../api/request.ts';
import type { AnyRoute } from '../../api/route.ts';
import { serveReply } from '../../api/serve.ts';
import { decodeUtf8, parseStrictJson } from '../../lib/formats/strict-json.ts';
import { invalidBody, Problem } from '../../lib/problem.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { HookContent, Hooks } from '../hooks/hooks.ts';

export interface HookRouteDeps {
  readonly hooks: Hooks;
  readonly rateLimits: { take(call: HookCall): void };
  readonly metering: {
    readonly meter: {
      count(place: { readonly orgCode: string; readonly env: Environment; readonly tenantCode: string }): void;
    };
    readonly gate: { check(orgCode: string): void | Promise<void> };
  };
}

/** A message of a hook as one of the calls of its org. */
interface HookCall {
  readonly org: string;
  readonly env: Environment;
  readonly principal: string;
  readonly builder: undefined;
  replyHeaders: Readonly<Record<string, string>> | undefined;
}

/** Messages of other systems, which hold a secret of the org and no token. */
export function hookRoutes({ hooks, rateLimits, metering }: HookRouteDeps): readonly AnyRoute[] {
  return [
    serveReply(inboundHooksApi.receiveHook, async ({ head, params, query: { env }, stream }) => {
      const body = await readMessage(stream);
      const header = (name: string): string | undefined => {
        const value = head.headers[name];
        return typeof value === 'string' ? value : undefined;
      };
      const message = await hooks.recognize({ env, orgCode: params.org, block: params.name, header, body });
      // The sender is known from here on: it is one of the org's callers.
      const call: HookCall = {
        ...{ org: message.orgCode, env, principal: `hook ${message.block}` },
        ...{ builder: undefined, replyHeaders: undefined },
      };
      try {
        rateLimits.take(call);
        metering.meter.count({ orgCode: message.orgCode, env, tenantCode: message.workspace?.tenantCode ?? '' });
        await metering.gate.check(message.orgCode);
        const content = readHookContent({ mediaType: stream?.mediaType ?? '', headers: head.headers, bytes: body });
        return json(202, await hooks.begin(message, content), call.replyHeaders);
      } catch (error) {
        hooks.noteRefused(message, error);
        throw error;
      }
    }),
  ];
}

const bytesMax = 256 * 1024;
const milliseconds = 10_000;

/** The bytes as they came, which are what is signed. @throws Problem `body_too_large`, `request_timeout`, `invalid_request`. */
async function readMessage(stream: BodyStream | undefined): Promise<Buffer> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Problem('request_timeout', 'the message took too long to arrive')),
    milliseconds,
  );
  try {
    return await Promise.race([readAll(stream), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function readAll(stream: BodyStream | undefined): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream?.bytes ?? []) {
    length += chunk.length;
    if (length > bytesMax) throw new Problem('body_too_large', `a message may have at most ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

interface HookBody {
  readonly mediaType: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
}

/**
 * Reads the body of a message: JSON, a form, or a CloudEvent in structured or binary mode (CloudEvents 1.0, HTTP Protocol
 * Binding), which is the same input in both modes.
 * @throws Problem `invalid_request`, `validation_failed`.
 */
export function readHookContent({ mediaType, headers, bytes }: HookBody): HookContent {
  const text = decodeUtf8(bytes);
  const isBinary = 'ce-specversion' in headers && mediaType !== structured;
  const body = isBinary && text === '' ? undefined : readBody(mediaType, text);
  const input = isBinary
    ? { ...attributesIn(headers), ...(body === undefined ? {} : { datacontenttype: mediaType, data: body }) }
    : body;
  if (isBinary || mediaType === structured) checkEvent(input);
  return { input, body };
}

const form = 'application/x-www-form-urlencoded';
const structured = 'application/cloudevents+json';

/** Senders have ids of 64 bits, which no number of the platform holds exactly. */
function readBody(mediaType: string, text: string): unknown {
  return mediaType === form ? readForm(text) : parseStrictJson(text, { readsLargeIntegers: true });
}

const membersMax = 50_000;

/** A name that comes several times has an array of texts (URL Standard, 5.1). */
function readForm(text: string): Readonly<Record<string, unknown>> {
  const pairs = text.split('&').filter((pair) => pair !== '');
  if (pairs.length > membersMax)
    throw new Problem('invalid_request', `there are more than ${membersMax} members of objects`);
  const values = new Map<string, string[]>();
  for (const pair of pairs) {
    const [name = '', value = ''] = pair.split(/=(.*)/s, 2).map((part) => decodePercent(part.replaceAll('+', ' ')));
    if (name === '__proto__') throw new Problem('invalid_request', 'the key `__proto__` is not allowed');
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? all[0] : all]));
}

function decodePercent(text: string): string {
  const decoded = decodedOrNone(text);
  if (decoded === undefined) throw new Problem('invalid_request', 'the text is not valid UTF-8');
  if (decoded.includes('\0')) throw new Problem('invalid_request', 'a string contains the character U+0000');
  return decoded;
}

function decodedOrNone(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Each header with the prefix is an attribute, in percent-encoding (3.1.3). */
function attributesIn(headers: HookBody['headers']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const attribute = /^ce-([a-z0-9]+)$/.exec(name)?.[1];
      return attribute === undefined || typeof value !== 'string' ? [] : [[attribute, decodePercent(value)]];
    }),
  );
}

/** The attributes that each event has (CloudEvents 1.0, 2). */
function checkEvent(input: unknown): void {
  const event: Readonly<Record<string, unknown>> = typeof input === 'object' && input !== null ? { ...input } : {};
  const missing = ['id', 'source', 'type'].filter((name) => typeof event[name] !== 'string' || event[name] === '');
  const errors = missing.map((name) => {
    const message = `a CloudEvent has the attribute \`${name}\`, a text that is not empty`;
    return { pointer: `/${name}`, code: 'required', message };
  });
  const version = { pointer: '/specversion', code: 'unsupported_version', message: '`specversion` must be `1.0`' };
  const all = event.specversion === '1.0' ? errors : [version, ...errors];
  if (all.length > 0) throw invalidBody(all);
}
