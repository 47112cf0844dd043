import { AsyncLocalStorage } from 'node:async_hooks';
import { createHmac } from 'node:crypto';
import { singleHeader } from '../api/headers/client-id.ts';
import type { RequestEnvelope, RequestHead } from '../api/request.ts';
import type { Clock } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import { createSerializer } from '../lib/scheduling/serializer.ts';
import {
  type Change,
  type CommitOptions,
  type Committed,
  Conflict,
  type Put,
  type Scope,
  type Store,
} from '../store/port.ts';
import { asRead, json, type Row, table } from '../store/table.ts';
import { tryCommit } from '../store/transact.ts';
import type { PlannedChange } from './writing/planned-change.ts';
import type { Sealer } from './writing/sealed-values.ts';

/**
 * Requests that count once whatever they do: a mark lies in the commit that has the effect, which is the commit of the
 * audit entry or begins a run, and becomes the answer when there is one. So after a crash it is known whether the request was done, and
 * of two at once one is.
 */
export interface RepeatedRequests {
  /**
   * The answer of the request, by the work or as it was given before.
   * @throws Problem `idempotency_key_reused`; `conflict` if it was done and its answer is not known; what the work
   * throws.
   */
  answer<T>(
    request: RememberedRequest,
    work: () => Promise<T>,
  ): Promise<{ readonly answer: T; readonly isReplayed: boolean }>;
}

interface RememberedRequest {
  readonly request: OnceRequest;
  /** The scopes in which its effect may lie. A request without an effect is remembered in the first. */
  readonly scopes: readonly [MarkedScope, ...MarkedScope[]];
}

/** A scope of a store that `markingStore` has made. */
export interface MarkedScope {
  readonly space: string;
  readonly scope: Scope;
}

interface RememberedWork {
  readonly request: OnceRequest;
  readonly places: ReadonlySet<string>;
  mark: { readonly place: string; readonly version: number } | undefined;
  isOver: boolean;
}

const works = new AsyncLocalStorage<RememberedWork>();

/** A store that marks the commits of requests that are to count once. Every other commit goes through as it is. */
export function markingStore(space: string, store: Store): Store {
  return {
    scope: (name) => markingScope(space, store.scope(name)),
    health: () => store.health(),
    close: () => store.close(),
  };
}

function markingScope(space: string, scope: Scope): Scope {
  const place = placeText({ space, scope });
  return {
    name: scope.name,
    get: (keys) => scope.get(keys),
    range: (pk, read) => scope.range(pk, read),
    follow: (pk, read) => scope.follow(pk, read),
    count: (pk, part, atMost) => scope.count(pk, part, atMost),
    select: (pk, read) => scope.select(pk, read),
    measure: (pk, read) => scope.measure(pk, read),
    commit: (changes, options) => {
      const work = works.getStore();
      const isEffect = work !== undefined && isMarked(work, place) && changes.some(isSignalled);
      return isEffect ? markedCommit({ scope, place, work }, changes, options) : scope.commit(changes, options);
    },
  };
}

function isMarked({ isOver, mark, places }: RememberedWork, place: string): boolean {
  return !isOver && mark === undefined && places.has(place);
}

/** Whether the change tells the audit log of the commit, or begins a run, which goes on without the request. */
function isSignalled(change: Change): boolean {
  if (change.kind === 'put') return change.pk === runPartition && change.if === 'absent';
  return change.kind === 'append' && change.isChained === true;
}

/** The partition of the runs of logic blocks in the scope of a workspace. */
export const runPartition = 'run';

async function markedCommit(
  { scope, place, work }: { readonly scope: Scope; readonly place: string; readonly work: RememberedWork },
  changes: readonly Change[],
  options: CommitOptions | undefined,
): Promise<Committed> {
  try {
    const committed = await scope.commit([...changes, answerItem(work.request, null)], options);
    work.mark = { place, version: committed.seq };
    return committed;
  } catch (error) {
    if (error instanceof Conflict && error.changeIndex === changes.length) throw underWay();
    throw error;
  }
}

function placeText({ space, scope }: MarkedScope): string {
  return `${space} ${scope.name}`;
}

/** Answers may hold secrets that are shown once, so they are sealed. */
export function createRepeatedRequests(sealer: Sealer): RepeatedRequests {
  const inTurn = createSerializer<string>();

  const find = async ({ request, scopes }: RememberedRequest): Promise<{ readonly answer: unknown } | undefined> => {
    for (const { space, scope } of scopes) {
      const kept = await findKept(scope, request);
      if (kept === undefined) continue;
      const { answer: sealed } = kept.value;
      if (typeof sealed !== 'string') throw unknownAnswer();
      const answer: unknown = JSON.parse(sealer.open(sealed, sealedPlace({ space, scope }, request)));
      return { answer };
    }
    return undefined;
  };

  /** An effect is done for good: if its answer cannot be stored, a repeated request gets an error that says so. */
  const note = async (
    { request, scopes }: RememberedRequest,
    { mark }: RememberedWork,
    answer: unknown,
  ): Promise<void> => {
    const at = scopes.find((one) => placeText(one) === mark?.place) ?? scopes[0];
    const sealed = sealer.seal(JSON.stringify(answer), sealedPlace(at, request));
    await at.scope.commit([{ ...answerItem(request, sealed), if: asRead(mark) }]).catch(() => undefined);
  };

  /** A refusal leaves nothing, and is judged again when the request is sent again. */
  const forget = async ({ request, scopes }: RememberedRequest, { mark }: RememberedWork): Promise<void> => {
    const at = scopes.find((one) => placeText(one) === mark?.place);
    if (mark === undefined || at === undefined) return;
    await at.scope.commit([keptAnswers.remove(request, asRead(mark))]).catch(() => undefined);
  };

  const answer = async <T>(remembered: RememberedRequest, work: () => Promise<T>) => {
    const before = await find(remembered);
    if (before !== undefined) return { answer: before.answer as T, isReplayed: true };
    const { request, scopes } = remembered;
    const done: RememberedWork = { request, places: new Set(scopes.map(placeText)), mark: undefined, isOver: false };
    try {
      const made = await works.run(done, work);
      done.isOver = true;
      await note(remembered, done, made);
      return { answer: made, isReplayed: false };
    } catch (error) {
      done.isOver = true;
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      await forget(remembered, done);
      // The refusal may come of the request's own twin on another node, which was faster.
      const meanwhile = done.mark === undefined ? await find(remembered) : undefined;
      if (meanwhile === undefined) throw error;
      return { answer: meanwhile.answer as T, isReplayed: true };
    }
  };
  return { answer: (request, work) => inTurn(request.request.id, () => answer(request, work)) };
}

function sealedPlace({ space, scope }: MarkedScope, { id }: OnceRequest) {
  return { scope: `${space} ${scope.name}`, entityName: 'idempotency', id, field: 'answer' };
}

function unknownAnswer(): Problem {
  return new Problem(
    'conflict',
    'the request with this `Idempotency-Key` was carried out, and its answer is not known (yet): read the current state',
  );
}

/**
 * A request that counts once, however often it is sent. Its answer is an item that lies in the commit of what it does,
 * so that either both stand or none does: the store decides which of several is the first.
 */
export interface OnceRequest {
  /** The place of the answer in the scope that the request works in. */
  readonly id: string;
  /** Tells the request from another one under the same key. */
  readonly fingerprint: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

interface IdempotencyRequest {
  readonly principal: string;
  readonly key: string;
  readonly content: readonly unknown[];
}

export type Idempotency = (request: IdempotencyRequest) => OnceRequest;

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

/** The result of a request, and the version of everything that it wrote. */
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
 * @returns the request, which expires when the request that took the key does, and whether that was an earlier one.
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

interface RecordedAnswer {
  readonly fingerprint: string;
  readonly answer: unknown;
}

const keptAnswers = table(
  ({ id }: OnceRequest) => ({ pk: 'idempotency', sk: id }),
  json<RecordedAnswer>('answer that was kept', { fingerprint: 'string' }),
);

function answerItem(request: OnceRequest, answer: unknown): Put {
  const { fingerprint, expiresAt: at } = request;
  return keptAnswers.insert(request, { fingerprint, answer }, { at, queue: 'expire' });
}

async function findAnswer(scope: Scope, request: OnceRequest): Promise<StoredAnswer | undefined> {
  const kept = await findKept(scope, request);
  if (kept === undefined) return undefined;
  return { answer: kept.value.answer, version: kept.version, expiresAt: kept.due?.at ?? request.expiresAt };
}

/** @throws Problem `idempotency_key_reused`. */
async function findKept(scope: Scope, request: OnceRequest): Promise<Row<RecordedAnswer> | undefined> {
  const kept = await keptAnswers.read(scope, request);
  if (kept !== undefined && kept.value.fingerprint !== request.fingerprint)
    throw new Problem('idempotency_key_reused', 'the key in `Idempotency-Key` was used for another request');
  return kept;
}

function underWay(): Problem {
  return new Problem('conflict', 'a request with this `Idempotency-Key` has just been made: try again');
}

/** Makes the request count once, where its sender gave it a key. @throws Problem `invalid_request`. */
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
