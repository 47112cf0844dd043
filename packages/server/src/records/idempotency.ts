import { createHmac } from 'node:crypto';
import { singleHeader } from '../api/headers/single-header.ts';
import type { RequestEnvelope, RequestHead } from '../api/request.ts';
import type { Clock } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import type { Put, Scope } from '../store/port.ts';
import { json, type Row, table } from '../store/table.ts';
import { tryCommit } from '../store/transact.ts';
import type { PlannedChange } from './writing/planned-change.ts';

/**
 * A request that counts once, however often it is sent. Its answer is an item that lies in the commit of what it does,
 * so that either both stand or none does: the store decides which of several is the first.
 */
export interface OnceRequest {
  /** Where the answer lies in the scope that the request works in. */
  readonly id: string;
  /** Tells the request from another one under the same key. */
  readonly fingerprint: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

interface AskedRequest {
  readonly principal: string;
  readonly key: string;
  /** Everything that the request says. */
  readonly content: readonly unknown[];
}

export type Idempotency = (asked: AskedRequest) => OnceRequest;

const keptMilliseconds = 24 * 60 * 60 * 1000;

/** Keys and bodies may be confidential: of both only a keyed hash is stored. */
export function createIdempotency(secret: Uint8Array, clock: Clock): Idempotency {
  const hash = (content: readonly unknown[]): string =>
    createHmac('sha256', secret).update(JSON.stringify(content)).digest('base64url');
  return ({ principal, key, content }) => ({
    id: hash(['key', principal, key]),
    fingerprint: hash(['request', ...content]),
    expiresAt: clock.now() + keptMilliseconds,
  });
}

/** A part of a request whose parts are done one by one, each in a commit of its own. */
export function partOf(request: OnceRequest, index: number): OnceRequest {
  return { ...request, id: `${request.id}#${index}` };
}

/** What a request came to, and the version of everything that it wrote. */
interface StoredAnswer {
  readonly answer: unknown;
  readonly version: number;
  readonly expiresAt: number;
}

/** Notes the answer, in the commit that it speaks of. */
export function keepAnswer(request: OnceRequest, answer: unknown): PlannedChange {
  return { change: answerItem(request, answer), onConflict: underWay };
}

/**
 * Does the work of a request whose commit keeps the answer, or finds that it is done. A refusal may come of the
 * request's own twin, which was faster: it is believed only while there is no answer.
 * @throws Problem `idempotency_key_reused`, and what the work throws.
 */
export async function once<T>(
  scope: Scope,
  request: OnceRequest | undefined,
  work: () => Promise<T>,
): Promise<{ readonly done: T } | { readonly before: StoredAnswer }> {
  if (request === undefined) return { done: await work() };
  const before = await findAnswer(scope, request);
  if (before !== undefined) return { before };
  try {
    return { done: await work() };
  } catch (error) {
    const meanwhile = error instanceof Problem ? await findAnswer(scope, request) : undefined;
    if (meanwhile === undefined) throw error;
    return { before: meanwhile };
  }
}

/**
 * Takes the key for a request whose parts are done one by one.
 * @returns the request, which expires when the one that took the key does, and whether that was an earlier one.
 * @throws Problem `idempotency_key_reused`.
 */
export async function claimKey(
  scope: Scope,
  request: OnceRequest,
): Promise<{ readonly request: OnceRequest; readonly isRepeated: boolean }> {
  const claimed = await once(scope, request, async () => {
    if (!(await tryCommit(scope, [answerItem(request, null)]))) throw underWay();
  });
  if ('done' in claimed) return { request, isRepeated: false };
  return { request: { ...request, expiresAt: claimed.before.expiresAt }, isRepeated: true };
}

interface Kept {
  readonly fingerprint: string;
  readonly answer: unknown;
}

/** By request. */
export const keptAnswers = table(
  ({ id }: OnceRequest) => ({ pk: 'idempotency', sk: id }),
  json<Kept>('answer that was kept', { fingerprint: 'string' }),
);

export function answerItem(request: OnceRequest, answer: unknown): Put {
  const { fingerprint, expiresAt: at } = request;
  return keptAnswers.insert(request, { fingerprint, answer }, { at, queue: 'expire' });
}

async function findAnswer(scope: Scope, request: OnceRequest): Promise<StoredAnswer | undefined> {
  const kept = await findKept(scope, request);
  if (kept === undefined) return undefined;
  return { answer: kept.value.answer, version: kept.version, expiresAt: kept.due?.at ?? request.expiresAt };
}

/** @throws Problem `idempotency_key_reused`. */
export async function findKept(scope: Scope, request: OnceRequest): Promise<Row<Kept> | undefined> {
  const kept = await keptAnswers.read(scope, request);
  if (kept !== undefined && kept.value.fingerprint !== request.fingerprint)
    throw new Problem('idempotency_key_reused', 'the key in `Idempotency-Key` was used for another request');
  return kept;
}

export function underWay(): Problem {
  return new Problem('conflict', 'a request with this `Idempotency-Key` has just been made: try again');
}

/** The request as one that counts once, where its sender gave it a key. @throws Problem `invalid_request`. */
export function readOnce(
  idempotency: Idempotency,
  { head, body }: RequestEnvelope & { readonly body: unknown },
  principal: string,
): OnceRequest | undefined {
  const key = readIdempotencyKey(head);
  if (key === undefined) return undefined;
  return idempotency({ principal, key, content: [head.method, head.url, body] });
}

/** Whose keys a caller sends: a person has keys of his own, and so has each builder who acts for him (`act` of the token). */
export function keyHolderOf(userId: string, act: unknown): string {
  if (typeof act !== 'object' || act === null || !('sub' in act)) return userId;
  return `${userId} ${act.sub}`;
}

/** What an answer says that was given before. */
export const replayedHeaders = { 'Idempotency-Replayed': 'true' };

function readIdempotencyKey(head: RequestHead): string | undefined {
  if (head.headers['idempotency-key'] === undefined) return undefined;
  const key = singleHeader(head, 'idempotency-key');
  if (key === undefined || !/^[\x20-\x7e]{1,255}$/.test(key))
    throw new Problem(
      'invalid_request',
      '`Idempotency-Key` must be sent once, as 1 to 255 printable characters of ASCII',
    );
  return key;
}
