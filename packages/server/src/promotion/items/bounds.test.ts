/** The bounds of a configuration as a whole. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configKinds as kinds } from '../../testing/config-kinds.ts';
import type { ItemTarget } from '../config-kind.ts';
import type { ItemBody } from '../item-storage.ts';
import { refuseTooMuch } from './bounds.ts';

const content = { name: 'a', description: 'x'.repeat(250_000) };

function blocks(count: number): readonly ItemBody[] {
  return Array.from({ length: count }, (_, index) => ({ kind: 'logicblock', name: `b${index}`, version: 1, content }));
}

const changed: ItemTarget = { kind: 'crew', name: 'c', wanted: { content, versions: 2 } };
const entities = blocks(100).map((body): ItemBody => ({ ...body, kind: 'entity' }));

test('logic blocks, events and crews have a bound together, which does not affect changes that add nothing', async () => {
  await refuseTooMuch(kinds, [changed], [...blocks(67), ...entities]);
  await assert.rejects(refuseTooMuch(kinds, [changed], blocks(68)), /at most 16777216 characters together/);
  await refuseTooMuch(kinds, [{ ...changed, wanted: undefined }], blocks(68));
  await refuseTooMuch(kinds, [{ ...changed, kind: 'entity' }], blocks(68));
});
