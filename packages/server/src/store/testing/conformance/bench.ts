import type { Clock } from '../../../lib/clock.ts';
import type {
  Add,
  Append,
  Change,
  Check,
  CheckEmpty,
  Condition,
  Due,
  Item,
  Maintenance,
  OpenedStore,
  Put,
  PutIndex,
  Remove,
  Scope,
  ScopeName,
  Store,
  Tally,
} from '../../port.ts';

/** One promise of the port. `needs` says what a case cannot share, or that it asks for an adapter that keeps its data. */
export interface ConformanceCase {
  readonly name: string;
  readonly needs?: 'own-store' | 'reopen';
  run(bench: Bench): Promise<void>;
}

/** The subject of a case. */
export interface Bench {
  readonly store: Store;
  readonly maintenance: Maintenance;
  readonly clock: TestClock;
  /** A scope that no other case uses. */
  readonly scope: Scope;
  /** Names that no other case uses; all of one bench begin alike. */
  freshName(): ScopeName;
  /** Ends the store and opens it again on what it kept. */
  reopen(): Promise<OpenedStore>;
}

/** An adapter as the suite gets it. */
export interface Subject {
  readonly isDurable: boolean;
  open(clock: Clock): Promise<OpenedSubject>;
}

export interface OpenedSubject {
  readonly opened: OpenedStore;
  reopen(): Promise<OpenedStore>;
  /** Ends what is still open and removes what was kept. */
  dispose(): Promise<void>;
}

/** A clock that stops until the test moves it. */
export class TestClock implements Clock {
  #now = 1_800_000_000_000;

  now(): number {
    return this.#now;
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

export interface PutOptions {
  readonly value?: string;
  readonly if?: Condition;
  readonly due?: Due;
}

export function put(pk: string, sk: string, options: PutOptions = {}): Put {
  const change: Put = { kind: 'put', pk, sk, value: options.value ?? `value of ${sk}`, if: options.if ?? 'any' };
  return options.due === undefined ? change : { ...change, due: options.due };
}

export function remove(pk: string, sk: string, condition: Condition = 'present'): Remove {
  return { kind: 'remove', pk, sk, if: condition };
}

export function check(pk: string, sk: string, condition: Condition): Check {
  return { kind: 'check', pk, sk, if: condition };
}

export function checkEmpty(pk: string, prefix = ''): CheckEmpty {
  return { kind: 'check-empty', pk, prefix };
}

export function add(
  pk: string,
  sk: string,
  by: number,
  bounds: { readonly min?: number; readonly max?: number } = {},
): Add {
  return { kind: 'add', pk, sk, by, ...bounds };
}

export function tally(pk: string, sk: string, ...by: readonly number[]): Tally {
  return { kind: 'tally', pk, sk, label: `of ${sk}`, by: by.map(BigInt) };
}

export function append(pk: string, value: string): Append {
  return { kind: 'append', pk, value };
}

export function putIndex(pk: string, sk: string, targetPk: string, targetSk: string): PutIndex {
  return { kind: 'put-index', pk, sk, target: { pk: targetPk, sk: targetSk } };
}

export async function getOne(scope: Scope, pk: string, sk: string): Promise<Item | undefined> {
  const [item] = await scope.get([{ pk, sk }]);
  return item;
}

/** Everything that a scope holds, for tests that nothing was written. */
export async function contents({ maintenance }: Bench, scope: Scope): Promise<readonly Item[]> {
  return maintenance.scan(scope.name, undefined, 10_000);
}

export async function sortKeys(scope: Scope, pk: string): Promise<readonly string[]> {
  return (await scope.range(pk, { limit: 10_000 })).map((item) => item.sk);
}

/** The order of UTF-8 bytes, computed from the bytes themselves. */
export function byBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

/** Commits the puts of any number of keys, as few at a time as the port allows. */
export async function fill(scope: Scope, changes: readonly Change[]): Promise<void> {
  for (let start = 0; start < changes.length; start += 1000) await scope.commit(changes.slice(start, start + 1000));
}
