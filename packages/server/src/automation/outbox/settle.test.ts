import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Line, OutboxItem, PendingItem } from './outbox.ts';
import { queueChanges, type SettledLine } from './settle.ts';

const now = 1000;
const outcome = { state: 'delivered', status: 200, ms: 1, answer: 'ok', at: now } as const;

function waitingAt(before: number): PendingItem {
  const sk = `r;${String(before).padStart(16, '0')}`;
  const base = { at: 0, op: 'update', entity: 'order', user: { id: 'u' }, config: 1, depth: 1, chain: [] } as const;
  const item: OutboxItem & { version: number } = { ...base, id: `item-${before}`, attempts: 0, version: before + 1 };
  return { item, sk, removal: { kind: 'remove', pk: 'held;tell', sk, if: { version: 1 } } };
}

/** The last held item of the record, delivered. */
const headLine: Line = { recordId: 'r', waiting: [waitingAt(1)], isBehind: false, head: { hasNext: false } };
const head: SettledLine = {
  line: headLine,
  settled: headLine.waiting.map((waiting) => ({ waiting, state: 'delivered', outcome })),
};
/** A write since, that waited behind it. */
const newLine: Line = { recordId: 'r', waiting: [waitingAt(2)], isBehind: true };
const behind: SettledLine = {
  line: newLine,
  settled: newLine.waiting.map((waiting) => ({ waiting, state: 'behind' })),
};

/** The change of the held record's mark. */
function marked(...lines: readonly SettledLine[]) {
  return queueChanges('tell', lines, now).flatMap((change) =>
    'sk' in change && change.sk === 'retry;tell;r' ? [[change.kind, 'due' in change ? change.due?.at : undefined]] : [],
  );
}

test('a record whose last held write has arrived is marked no more', () => {
  assert.deepEqual(marked(head), [['remove', undefined]]);
});

test('a write that came behind a held one is looked at next, whichever of both came to its end first', () => {
  for (const lines of [
    [head, behind],
    [behind, head],
  ])
    assert.deepEqual(marked(...lines), [['put', now]]);
});

test('what waits behind a held write that is not looked at changes no mark', () => {
  assert.deepEqual(marked(behind), []);
  assert.deepEqual(marked({ line: headLine, settled: [] }, behind), []);
});

test('a mark that nothing is held for goes, unless something has come behind it', () => {
  const empty: SettledLine = { line: { ...headLine, waiting: [] }, settled: [] };
  assert.deepEqual(marked(empty), [['remove', undefined]]);
  assert.deepEqual(marked(empty, behind), [['put', now]]);
});
