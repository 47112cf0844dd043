import { chainHeads } from '../chain.ts';
import { readsIn } from '../key-bounds.ts';
import { type Change, type CheckReads, type Due, isIndexPartition, type Key, limits, TooLarge } from '../port.ts';

/**
 * Holds a commit to what the port promises before any adapter sees it: a mistake of the caller is a `TypeError`,
 * too much is `TooLarge`. Returns the commit's size: the UTF-8 bytes of its keys and values.
 */
export function validateChanges(changes: readonly Change[]): number {
  if (changes.length > limits.changesMax) {
    throw new TooLarge(`a commit holds at most ${limits.changesMax} changes, this one ${changes.length}`);
  }
  let bytes = 0;
  for (const [index, change] of changes.entries()) bytes += validateChange(change, `change ${index}`);
  if (bytes > limits.commitBytesMax) {
    throw new TooLarge(`a commit holds at most ${limits.commitBytesMax} bytes, this one ${bytes}`);
  }
  refuseDoubles(changes);
  if (changes.filter(({ kind }) => kind === 'check-reads').length > 1)
    throw new TypeError('a commit checks its reads once');
  return bytes;
}

function validateReads({ items, parts }: CheckReads, what: string): number {
  const reads = readsIn({ items, parts });
  if (reads > limits.readsMax) throw new TooLarge(`${what} reads ${reads} items again, of at most ${limits.readsMax}`);
  let bytes = 0;
  for (const item of items) bytes += validateKey(item, `${what}:`);
  for (const { pk, prefix = '', after = '', before = '' } of parts) {
    bytes += assertName(pk, `${what}: pk`);
    for (const bound of [prefix, after, before]) {
      assertText(bound, `${what}: a bound`);
      bytes += Buffer.byteLength(bound);
    }
  }
  return bytes;
}

/** Text that an engine would alter or cut short is refused everywhere: the same text must come back. */
function assertText(text: string, what: string): void {
  if (!text.isWellFormed()) throw new TypeError(`${what} contains a lone surrogate`);
  if (text.includes('\0')) throw new TypeError(`${what} holds U+0000`);
}

export function assertScopeName(name: string): number {
  return assertName(name, 'the scope', limits.scopeBytesMax);
}

function assertName(name: string, what: string, bytesMax: number = limits.keyBytesMax): number {
  if (name === '') throw new TypeError(`${what} is empty`);
  assertText(name, what);
  const bytes = Buffer.byteLength(name);
  if (bytes > bytesMax) throw new TooLarge(`${what} has ${bytes} bytes of at most ${bytesMax}`);
  return bytes;
}

function validateChange(change: Change, what: string): number {
  switch (change.kind) {
    case 'put':
      assertDue(change.due, what);
      return validatePlace(change, false, what) + validateValue(change.value, what);
    case 'put-index':
      if (isIndexPartition(change.target.pk)) throw new TypeError(`${what} points to an index item`);
      return validatePlace(change, true, what) + validateKey(change.target, `${what}: the target's`);
    case 'add':
      assertBounds(change, what);
      return validatePlace(change, false, what);
    case 'tally':
      return validatePlace(change, false, what) + validateValue(change.label, what);
    case 'remove':
      refuseChainHead(change, what);
      return validateKey(change, `${what}:`);
    case 'check':
      return validateKey(change, `${what}:`);
    case 'append':
      if (isIndexPartition(change.pk)) throw new TypeError(`${what} appends a value to an index partition`);
      return assertName(change.pk, `${what}: pk`) + validateValue(change.value, what);
    case 'check-reads':
      return validateReads(change, what);
    case 'check-empty':
      assertText(change.prefix, `${what}: prefix`);
      return assertName(change.pk, `${what}: pk`) + Buffer.byteLength(change.prefix);
  }
}

function validateKey(key: Key, what: string): number {
  return assertName(key.pk, `${what} pk`) + assertName(key.sk, `${what} sk`);
}

function validatePlace(key: Key, inIndex: boolean, what: string): number {
  refuseChainHead(key, what);
  if (isIndexPartition(key.pk) !== inIndex) {
    throw new TypeError(
      inIndex ? `${what} puts an index item outside` : `${what} puts a value into an index partition`,
    );
  }
  return validateKey(key, `${what}:`);
}

/** Only what is appended moves the head of a chain, so that no commit can make a chain look whole. */
function refuseChainHead({ pk }: Key, what: string): void {
  if (pk === chainHeads) throw new TypeError(`${what} names the head of a chain`);
}

function validateValue(value: string, what: string): number {
  assertText(value, `${what}: value`);
  const bytes = Buffer.byteLength(value);
  if (bytes <= limits.valueBytesMax) return bytes;
  throw new TooLarge(`${what}: the value has ${bytes} bytes of at most ${limits.valueBytesMax}`);
}

const queues: readonly string[] = ['expire', 'work', 'automation'] satisfies readonly Due['queue'][];

function assertDue(due: Due | undefined, what: string): void {
  if (due === undefined) return;
  if (!Number.isSafeInteger(due.at)) throw new TypeError(`${what}: due.at is no whole number of milliseconds`);
  if (!queues.includes(due.queue)) throw new TypeError(`${what}: there is no such queue`);
}

function assertBounds(add: { readonly by: number; readonly min?: number; readonly max?: number }, what: string): void {
  for (const bound of [add.by, add.min ?? 0, add.max ?? 0]) {
    if (!Number.isSafeInteger(bound)) throw new TypeError(`${what}: a counter takes safe integers only`);
  }
}

function refuseDoubles(changes: readonly Change[]): void {
  if (changes.length < 2) return;
  // By partition: a text put together of both would be made and hashed for this alone.
  const named = new Map<string, Set<string>>();
  for (const [index, change] of changes.entries()) {
    if (!('sk' in change)) continue;
    const { pk, sk } = change;
    const known = named.get(pk);
    if (known === undefined) named.set(pk, new Set([sk]));
    else if (known.has(sk)) throw new TypeError(`change ${index} names a key that the commit names already`);
    else known.add(sk);
  }
}
