import { AsyncLocalStorage } from 'node:async_hooks';
import { Problem } from '../lib/problem.ts';
import { serialLanes } from '../lib/scheduling/serial-lanes.ts';
import { type Change, type CommitOptions, type Committed, Conflict, type Scope, type Store } from '../store/port.ts';
import { asRead } from '../store/table.ts';
import { answerItem, findKept, keptAnswers, type OnceRequest, underWay } from './idempotency.ts';
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
    asked: RememberedRequest,
    work: () => Promise<T>,
  ): Promise<{ readonly answer: T; readonly isReplayed: boolean }>;
}

export interface RememberedRequest {
  readonly request: OnceRequest;
  /** Where its effect may come to lie. What has none is remembered in the first. */
  readonly scopes: readonly [MarkedScope, ...MarkedScope[]];
}

/** A scope of a store that `markingStore` has made. */
export interface MarkedScope {
  readonly space: string;
  readonly scope: Scope;
}

interface Work {
  readonly request: OnceRequest;
  readonly places: ReadonlySet<string>;
  mark: { readonly place: string; readonly version: number } | undefined;
  isOver: boolean;
}

const works = new AsyncLocalStorage<Work>();

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
    commit: (changes, options) => {
      const work = works.getStore();
      const isEffect = work !== undefined && isMarked(work, place) && changes.some(isTold);
      return isEffect ? markedCommit({ scope, place, work }, changes, options) : scope.commit(changes, options);
    },
  };
}

function isMarked({ isOver, mark, places }: Work, place: string): boolean {
  return !isOver && mark === undefined && places.has(place);
}

/** Whether the change tells the audit log of the commit, or begins a run, which goes on without the request. */
function isTold(change: Change): boolean {
  if (change.kind === 'put') return change.pk === runPartition && change.if === 'absent';
  return change.kind === 'append' && change.isChained === true;
}

/** Where the runs of logic blocks lie in the scope of a workspace. */
export const runPartition = 'run';

async function markedCommit(
  { scope, place, work }: { readonly scope: Scope; readonly place: string; readonly work: Work },
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
  const inTurn = serialLanes<string>();

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

  /** What was done is done: if its answer cannot be stored, a repeated request gets an error that says so. */
  const note = async ({ request, scopes }: RememberedRequest, { mark }: Work, answer: unknown): Promise<void> => {
    const at = scopes.find((one) => placeText(one) === mark?.place) ?? scopes[0];
    const sealed = sealer.seal(JSON.stringify(answer), sealedPlace(at, request));
    await at.scope.commit([{ ...answerItem(request, sealed), if: asRead(mark) }]).catch(() => undefined);
  };

  /** A refusal leaves nothing, and is judged again when the request is sent again. */
  const forget = async ({ request, scopes }: RememberedRequest, { mark }: Work): Promise<void> => {
    const at = scopes.find((one) => placeText(one) === mark?.place);
    if (mark === undefined || at === undefined) return;
    await at.scope.commit([keptAnswers.remove(request, asRead(mark))]).catch(() => undefined);
  };

  const answer = async <T>(asked: RememberedRequest, work: () => Promise<T>) => {
    const before = await find(asked);
    if (before !== undefined) return { answer: before.answer as T, isReplayed: true };
    const { request, scopes } = asked;
    const done: Work = { request, places: new Set(scopes.map(placeText)), mark: undefined, isOver: false };
    try {
      const made = await works.run(done, work);
      done.isOver = true;
      await note(asked, done, made);
      return { answer: made, isReplayed: false };
    } catch (error) {
      done.isOver = true;
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      await forget(asked, done);
      // The refusal may come of the request's own twin on another node, which was faster.
      const meanwhile = done.mark === undefined ? await find(asked) : undefined;
      if (meanwhile === undefined) throw error;
      return { answer: meanwhile.answer as T, isReplayed: true };
    }
  };
  return { answer: (asked, work) => inTurn(asked.request.id, () => answer(asked, work)) };
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
