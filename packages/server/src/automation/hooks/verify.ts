/** Whether a message comes from a sender who holds the secret of a hook. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { BlockHook, HmacForm } from '../kinds/logicblock-starts.ts';

export interface HookMessage {
  /** By its name in lower case. */
  readonly header: (name: string) => string | undefined;
  /** As it came. */
  readonly body: Buffer;
}

export interface VerifiedMessageIds {
  /** If one of these was seen, the message was. Under a signature that says no time, they stand for the body too. */
  readonly ids: readonly string[];
  /** The sender's name for the message; where it gives none, the digest of the signed text. */
  readonly id: string;
  /** The time of the message is signed, and was compared with the clock. */
  readonly isTimed: boolean;
  /** The member of the body with the id of the message, where the body has one. */
  readonly idField?: string;
}

export type MessageFault = 'signature_missing' | 'signature_wrong' | 'time_off' | 'id_missing';

const toleranceSeconds = 300;

/** Stripe and Slack send a message again with another time and signature, so they are known by an id in the body. */
const presets: Readonly<Record<'stripe' | 'slack', HmacForm>> = {
  stripe: { header: 'Stripe-Signature', signature_key: 'v1', timestamp_key: 't', id_field: 'id' },
  slack: {
    header: 'X-Slack-Signature',
    prefix: 'v0=',
    timestamp_header: 'X-Slack-Request-Timestamp',
    signed: 'v0:{time}:{body}',
    id_field: 'event_id',
  },
};

/** The form of the messages of a hook; undefined for Standard Webhooks. */
export function hmacFormOf(hook: BlockHook): HmacForm | undefined {
  if (hook.signature === 'standard') return undefined;
  return hook.signature === 'hmac' ? hook : presets[hook.signature];
}

/** The number of signatures of one message that are looked at. */
const signaturesMax = 10;
const idPattern = /^[!-~]{1,256}$/;
const timePattern = /^\d{1,12}$/;

/**
 * Does the same work for each message, so that the time tells a sender nothing of how far it came.
 * @param keys one, or two while senders go from an old secret to a new one. @param now milliseconds since the epoch.
 */
export function judgeMessage(
  hook: BlockHook,
  keys: readonly Buffer[],
  message: HookMessage,
  now: number,
): VerifiedMessageIds | MessageFault {
  const form = hmacFormOf(hook);
  const clock = { now, tolerance: hook.tolerance_seconds ?? toleranceSeconds };
  return form === undefined ? verifyStandard(keys, message, clock) : verifyHmac(form, keys, { message, clock });
}

interface MessageClock {
  readonly now: number;
  /** In seconds. */
  readonly tolerance: number;
}

/** Standard Webhooks 1.0.0. */
function verifyStandard(
  keys: readonly Buffer[],
  { header, body }: HookMessage,
  clock: MessageClock,
): VerifiedMessageIds | MessageFault {
  const [id, timestamp] = [header('webhook-id') ?? '', header('webhook-timestamp') ?? ''];
  const given = header('webhook-signature') ?? '';
  const signatures = given.split(' ', signaturesMax);
  const signed = `${id}.${timestamp}.`;
  const expected = keys.map((key) => `v1,${createHmac('sha256', key).update(signed).update(body).digest('base64')}`);
  const isSigned = isOneOf(signatures, expected);
  const isInTime = isRecent(timestamp, clock);
  const fault = faultOf(given, { isSigned, isInTime, hasId: idPattern.test(id) });
  if (fault !== undefined) return fault;
  return { ids: [id], id, isTimed: true };
}

/**
 * HMAC-SHA256 over the body, or over the time and the body. An id in a header is not signed, so a digest of the signed
 * text is beside it: it counts once, under whichever id.
 */
function verifyHmac(
  form: HmacForm,
  keys: readonly Buffer[],
  { message: { header, body }, clock }: { readonly message: HookMessage; readonly clock: MessageClock },
): VerifiedMessageIds | MessageFault {
  const { encoding = 'hex', prefix = '', id_header, id_field } = form;
  const { signatures, time } = readParts(form, header);
  const start = signedStart(form, time);
  const expected = keys.map((key) => prefix + createHmac('sha256', key).update(start).update(body).digest(encoding));
  const given = encoding === 'hex' ? signatures.map((one) => inLowerCase(one, prefix)) : signatures;
  const isSigned = isOneOf(given, expected);
  const own = id_header === undefined ? undefined : (header(id_header.toLowerCase()) ?? '');
  const isInTime = time === undefined || isRecent(time, clock);
  const hasId = own === undefined || idPattern.test(own);
  const fault = faultOf(signatures.join(''), { isSigned, isInTime, hasId });
  if (fault !== undefined) return fault;
  // Of messages of known senders alone: for others it would be work that hooks of the other kind do not have.
  const digest = createHash('sha256').update(start).update(body).digest('base64url');
  const ids = own === undefined ? [`body ${digest}`] : [`id ${own}`, `body ${digest}`];
  const idField = id_field === undefined ? {} : { idField: id_field };
  return { ids, id: own ?? digest, isTimed: time !== undefined, ...idField };
}

/** The signatures of a message, and its time; undefined where messages of the hook have none. */
function readParts(form: HmacForm, header: HookMessage['header']) {
  const { signature_key, timestamp_key, timestamp_header } = form;
  const given = header(form.header.toLowerCase()) ?? '';
  const entries = given.split(',', signaturesMax).map((entry) => entry.trim());
  const valuesOf = (key: string): readonly string[] => {
    const values = entries.filter((entry) => entry.startsWith(`${key}=`)).map((entry) => entry.slice(key.length + 1));
    return values.length > 0 ? values : [''];
  };
  const own = timestamp_header === undefined ? undefined : (header(timestamp_header.toLowerCase()) ?? '');
  return {
    signatures: signature_key === undefined ? [given] : valuesOf(signature_key),
    time: timestamp_key === undefined ? own : valuesOf(timestamp_key)[0],
  };
}

function signedStart({ signed }: HmacForm, time: string | undefined): string {
  const form = signed ?? (time === undefined ? '{body}' : '{time}.{body}');
  return form
    .slice(0, -'{body}'.length)
    .split('{time}')
    .join(time ?? '');
}

/** A message by the id in its body, which is signed, so it counts once however often its sender signs it. */
export function namedByBody(verified: VerifiedMessageIds, body: unknown): VerifiedMessageIds {
  const { idField } = verified;
  if (idField === undefined || typeof body !== 'object' || body === null || !Object.hasOwn(body, idField))
    return verified;
  const id = (body as Readonly<Record<string, unknown>>)[idField];
  return typeof id === 'string' && idPattern.test(id) ? { ...verified, ids: [`field ${id}`], id } : verified;
}

function faultOf(
  given: string,
  { isSigned, isInTime, hasId }: Readonly<Record<'isSigned' | 'isInTime' | 'hasId', boolean>>,
): MessageFault | undefined {
  if (!isSigned) return given === '' ? 'signature_missing' : 'signature_wrong';
  if (!isInTime) return 'time_off';
  return hasId ? undefined : 'id_missing';
}

/** Digits of both cases are the same signature. */
function inLowerCase(given: string, prefix: string): string {
  return given.startsWith(prefix) ? prefix + given.slice(prefix.length).toLowerCase() : given;
}

function isRecent(timestamp: string, { now, tolerance }: MessageClock): boolean {
  return timePattern.test(timestamp) && Math.abs(Math.floor(now / 1000) - Number(timestamp)) <= tolerance;
}

/** Each is compared with each, in constant time. */
function isOneOf(given: readonly string[], expected: readonly string[]): boolean {
  const digests = expected.map(digestOf);
  let isFound = false;
  for (const one of given.map(digestOf)) for (const digest of digests) if (timingSafeEqual(one, digest)) isFound = true;
  return isFound;
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** A shorter key could be guessed. */
const keyBytesMin = 16;
const standardPrefix = 'whsec_';

/**
 * The key that a secret gives: Standard Webhooks writes it in base64, Stripe and Slack sign by the text as it is
 * shown. Undefined for a secret that is too short.
 */
export function keyOf(secret: string, { signature }: Pick<BlockHook, 'signature'>): Buffer | undefined {
  const isInBase64 = signature !== 'stripe' && signature !== 'slack' && secret.startsWith(standardPrefix);
  const key = isInBase64 ? Buffer.from(secret.slice(standardPrefix.length), 'base64') : Buffer.from(secret, 'utf8');
  return key.length < keyBytesMin ? undefined : key;
}
