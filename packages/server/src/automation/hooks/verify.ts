/** Whether a message comes from a sender who holds the secret of a hook. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { BlockHook } from '../../promotion/port.ts';

export interface HookMessage {
  /** By its name in lower case. */
  readonly header: (name: string) => string | undefined;
  /** As it came. */
  readonly body: Buffer;
}

export interface Verified {
  /** Where one of these was seen, the message was. Under a signature that says no time, they stand for the body too. */
  readonly ids: readonly string[];
  /** How the sender names the message; where it does not, the digest of what was signed. */
  readonly id: string;
  /** The time of the message is signed, and was compared with the clock. */
  readonly isTimed: boolean;
}

/** What a message lacks to be that of its sender. */
export type MessageFault = 'signature_missing' | 'signature_wrong' | 'time_off' | 'id_missing';

const toleranceSeconds = 300;
/** How many signatures of one message are looked at. */
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
): Verified | MessageFault {
  return hook.signature === 'standard' ? verifyStandard(keys, message, now) : verifyHmac(hook, keys, { message, now });
}

/** Standard Webhooks 1.0.0. */
function verifyStandard(keys: readonly Buffer[], { header, body }: HookMessage, now: number): Verified | MessageFault {
  const [id, timestamp] = [header('webhook-id') ?? '', header('webhook-timestamp') ?? ''];
  const given = header('webhook-signature') ?? '';
  const signatures = given.split(' ', signaturesMax);
  const signed = `${id}.${timestamp}.`;
  const expected = keys.map((key) => `v1,${createHmac('sha256', key).update(signed).update(body).digest('base64')}`);
  const isSigned = isOneOf(signatures, expected);
  const isInTime = isRecent(timestamp, now);
  const fault = faultOf({ given, isSigned, isInTime, hasId: idPattern.test(id) });
  if (fault !== undefined) return fault;
  return { ids: [id], id, isTimed: true };
}

type HmacHook = Extract<BlockHook, { readonly signature: 'hmac' }>;

/**
 * HMAC-SHA256 over the body, or over the time and the body. The id of such a message is not signed, so what was signed
 * stands beside it: it counts once, under whichever id.
 */
function verifyHmac(
  { header: name, encoding = 'hex', prefix = '', timestamp_header, id_header }: HmacHook,
  keys: readonly Buffer[],
  { message: { header, body }, now }: { readonly message: HookMessage; readonly now: number },
): Verified | MessageFault {
  const timestamp = timestamp_header === undefined ? undefined : (header(timestamp_header.toLowerCase()) ?? '');
  const signed = timestamp === undefined ? '' : `${timestamp}.`;
  const given = header(name.toLowerCase()) ?? '';
  const expected = keys.map((key) => prefix + createHmac('sha256', key).update(signed).update(body).digest(encoding));
  const isSigned = isOneOf([encoding === 'hex' ? inLowerCase(given, prefix) : given], expected);
  const own = id_header === undefined ? undefined : (header(id_header.toLowerCase()) ?? '');
  const isInTime = timestamp === undefined || isRecent(timestamp, now);
  const fault = faultOf({ given, isSigned, isInTime, hasId: own === undefined || idPattern.test(own) });
  if (fault !== undefined) return fault;
  // Of messages of known senders alone: for others it would be work that hooks of the other kind do not have.
  const digest = createHash('sha256').update(signed).update(body).digest('base64url');
  const ids = own === undefined ? [`body ${digest}`] : [`id ${own}`, `body ${digest}`];
  return { ids, id: own ?? digest, isTimed: timestamp !== undefined };
}

/** The first of what is wrong. */
function faultOf({
  given,
  isSigned,
  isInTime,
  hasId,
}: {
  readonly given: string;
  readonly isSigned: boolean;
  readonly isInTime: boolean;
  readonly hasId: boolean;
}): MessageFault | undefined {
  if (!isSigned) return given === '' ? 'signature_missing' : 'signature_wrong';
  if (!isInTime) return 'time_off';
  return hasId ? undefined : 'id_missing';
}

/** Digits of both cases are the same signature. */
function inLowerCase(given: string, prefix: string): string {
  return given.startsWith(prefix) ? prefix + given.slice(prefix.length).toLowerCase() : given;
}

function isRecent(timestamp: string, now: number): boolean {
  return timePattern.test(timestamp) && Math.abs(Math.floor(now / 1000) - Number(timestamp)) <= toleranceSeconds;
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

/** What is too short could be guessed. */
const keyBytesMin = 16;
const standardPrefix = 'whsec_';

/** The key that a secret stands for: Standard Webhooks writes it in base64. Undefined for a secret that is too short. */
export function keyOf(secret: string): Buffer | undefined {
  const key = secret.startsWith(standardPrefix)
    ? Buffer.from(secret.slice(standardPrefix.length), 'base64')
    : Buffer.from(secret, 'utf8');
  return key.length < keyBytesMin ? undefined : key;
}
