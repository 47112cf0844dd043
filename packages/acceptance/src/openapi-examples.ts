/**
 * The examples of the OpenAPI documents, recorded from calls of `openapi.test.ts` by `npm run record-examples`. What is long
 * is shortened, and what differs from run to run is replaced (`stable-values.ts`), so that each recording writes the same.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { appApi } from '@freehold/contract/app';
import { managementApi } from '@freehold/contract/management';
import type { CallOptions, Reply } from './call.ts';
import { exampleText } from './example-texts.ts';
import type { OpenapiDocument, Operation, Schema } from './openapi-document.ts';
import { stableValues } from './stable-values.ts';

export type GatewayName = 'app' | 'management';

/** Whether the calls of this process are recorded. */
export const isRecording = process.env.FREEHOLD_RECORD_EXAMPLES !== undefined;

/** Of one route: a body, and by their statuses what it was answered. */
interface Example {
  readonly request?: unknown;
  readonly replies: Readonly<Record<string, unknown>>;
}

interface Call {
  readonly operation: Operation;
  readonly options: CallOptions;
  readonly reply: Reply<unknown>;
}

const folder = join(import.meta.dirname, '../../server/src/gateway/openapi/examples');
const charactersMax = 2048;
const routes: Readonly<Record<GatewayName, readonly string[]>> = {
  app: keysOf(appApi),
  management: keysOf(managementApi),
};
/** By the method and path of a route, as the contract has them, and by status. */
const recorded = new Map<string, Map<number, Example>>();
/** Bodies that are no JSON: by route, by status or `request`, and by media type. */
const recordedTexts = new Map<string, Map<string, Readonly<Record<string, string>>>>();

function keysOf(api: Readonly<Record<string, { readonly method: string; readonly path: string }>>): readonly string[] {
  return Object.values(api).map(({ method, path }) => `${method} ${path}`);
}

/** Keeps a call that succeeds: the last of its route and status, but for calls that send or are answered nothing in JSON. */
export function recordCall(gateway: GatewayName, document: OpenapiDocument, { operation, options, reply }: Call): void {
  const path = operation.path.replace(/^\/app\/[^/]+/, '/app/:org').replaceAll(/\{(\w+)\}/g, ':$1');
  const route = `${operation.method} ${path}`;
  if (!isRecording || reply.status >= 400 || !routes[gateway].includes(route)) return;
  const stable = stableValues();
  const shorten = (schema: Schema, value: unknown) =>
    shortened(stable(value), (shorter) => document.fits(schema, shorter));
  const key = `${gateway} ${route}`;
  recordTexts(key, { operation, options, reply });
  const sent = jsonOf(operation, options);
  const schema = operation.responses[String(reply.status)]?.content?.['application/json']?.schema;
  const example: Example = {
    ...(operation.body === undefined || sent === undefined ? {} : { request: shorten(operation.body, sent) }),
    replies: schema === undefined || reply.body === undefined ? {} : { [reply.status]: shorten(schema, reply.body) },
  };
  const ofRoute = recorded.get(key) ?? new Map<number, Example>();
  const known = ofRoute.get(reply.status);
  recorded.set(key, ofRoute);
  const isLess =
    (known?.request !== undefined && isEmpty(example.request)) ||
    (Object.keys(known?.replies ?? {}).length > 0 && Object.keys(example.replies).length === 0);
  if (!isLess) ofRoute.set(reply.status, example);
}

function jsonOf({ body }: Operation, options: CallOptions): unknown {
  if (typeof options.body !== 'string' || body === undefined) return options.body;
  return sentType(options) === 'application/json' ? JSON.parse(options.body) : undefined;
}

function sentType({ headers = {} }: CallOptions): string {
  return typeOf(headers['content-type'] ?? 'application/json');
}

function typeOf(header: string): string {
  return header.split(';')[0] ?? '';
}

function recordTexts(key: string, { operation, options, reply }: Call): void {
  const replied = typeOf(reply.headers.get('content-type') ?? '');
  const ofRoute = recordedTexts.get(key) ?? new Map<string, Readonly<Record<string, string>>>();
  const record = (place: string, mediaType: string, body: unknown) => {
    const text = typeof body === 'string' ? exampleText(mediaType, body) : undefined;
    if (text === undefined) return;
    if (text.length > charactersMax) throw new Error(`the example of ${key} in ${mediaType} is too long: ${text}`);
    ofRoute.set(place, { ...ofRoute.get(place), [mediaType]: text });
    recordedTexts.set(key, ofRoute);
  };
  if (sentType(options) in operation.bodies) record('request', sentType(options), options.body);
  if (replied in (operation.responses[String(reply.status)]?.content ?? {}))
    record(String(reply.status), replied, reply.text);
}

function isEmpty(body: unknown): boolean {
  return body === undefined || JSON.stringify(body) === '{}';
}

/** Writes the examples of both gateways, sorted by their routes. */
export function writeExamples(): void {
  for (const gateway of ['app', 'management'] as const) {
    const examples = routes[gateway].toSorted().flatMap((route) => {
      const calls = [...(recorded.get(`${gateway} ${route}`) ?? [])].sort(([one], [other]) => one - other);
      const request = calls.map(([, call]) => call.request).find((body) => body !== undefined);
      const replies = Object.assign({}, ...calls.map(([, call]) => call.replies));
      const { request: requestTexts, ...replyTexts } = Object.fromEntries(
        recordedTexts.get(`${gateway} ${route}`) ?? [],
      );
      const example = {
        ...(request === undefined ? {} : { request }),
        ...(isEmpty(replies) ? {} : { replies }),
        ...(requestTexts === undefined ? {} : { requestTexts }),
        ...(isEmpty(replyTexts) ? {} : { replyTexts }),
      };
      return isEmpty(example) ? [] : [[route, example]];
    });
    writeFileSync(
      join(folder, `${gateway}-examples.json`),
      `${JSON.stringify(Object.fromEntries(examples), null, 2)}\n`,
    );
  }
}

/** A part of the value that `fits` and is no longer than an example may be. */
function shortened(value: unknown, fits: (value: unknown) => boolean): unknown {
  const charactersOver = (candidate: unknown) => charactersOf(candidate) > charactersMax;
  let short = value;
  for (const elements of [3, 2, 1])
    if (charactersOver(short)) {
      const fewer = withElements(short, elements);
      if (fits(fewer)) short = fewer;
    }
  while (charactersOver(short)) {
    const over = charactersOf(short) - charactersMax;
    const parts = partsOf(short).sort((one, other) => one.characters - other.characters);
    const enough = parts.filter(({ characters }) => characters >= over);
    const tried = [...enough, ...parts.filter(({ characters }) => characters < over).reverse()];
    const part = tried.find(({ path }) => fits(without(short, path)));
    if (part === undefined) throw new Error(`no part of it is short enough: ${JSON.stringify(short).slice(0, 5000)}`);
    short = without(short, part.path);
  }
  if (!fits(short)) throw new Error(`it does not fit its schema: ${JSON.stringify(short, undefined, 1)}`);
  return short;
}

function withElements(value: unknown, most: number): unknown {
  if (Array.isArray(value)) return value.slice(0, most).map((element) => withElements(element, most));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withElements(member, most)]));
}

interface Part {
  readonly path: readonly string[];
  readonly characters: number;
}

/** The members and elements of a value, at any depth. */
function partsOf(value: unknown, path: readonly string[] = []): Part[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const at = [...path, name];
    return [{ path: at, characters: charactersOf(member) + name.length }, ...partsOf(member, at)];
  });
}

function without(value: unknown, [name = '', ...rest]: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const at = Number(name);
    return rest.length === 0 ? value.toSpliced(at, 1) : value.with(at, without(value[at], rest));
  }
  if (!isObject(value)) return value;
  const { [name]: member, ...others } = value;
  return rest.length === 0 ? others : { ...value, [name]: without(member, rest) };
}

function charactersOf(value: unknown): number {
  return JSON.stringify(value).length;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
