import assert from 'node:assert/strict';
import type { OpenedStore } from '../../port.ts';
import { itemWithoutHead } from '../../walk.ts';
import { put, putIndex } from './bench.ts';

const names = ['a', 'kept', 'lost', 'lost#index', 'lost-', 'z'];

/** Scopes of which those are to lose their head whose names begin with `lost`. */
export async function writeScopes({ store }: OpenedStore): Promise<void> {
  for (const name of names) {
    await store.scope(name).commit([put('p', 'k'), put('q', 'k')]);
    const isPlain = name.endsWith('-');
    await store.scope(name).commit([isPlain ? put('p', 'k') : putIndex('index#i', 'k', 'p', 'k')]);
  }
}

export async function assertListsLostHeads({ maintenance }: OpenedStore): Promise<void> {
  const all = await maintenance.scopes(undefined, 100);
  const expected = names.map((name) => ({ name, seq: name.startsWith('lost') ? 0 : 2, state: 'open' }));
  assert.deepEqual(all, expected);
  assert.deepEqual(await maintenance.scopes(undefined, 0), []);
  for (const [index, { name }] of expected.entries())
    assert.deepEqual(await maintenance.scopes(name, 2), expected.slice(index + 1, index + 3));
  for (const head of all)
    assert.equal((await itemWithoutHead(maintenance, head)) !== undefined, head.name.startsWith('lost'), head.name);
}
