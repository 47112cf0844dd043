import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileEntity } from '../compile-entity.ts';
import type { EntityDefinition } from '../definition.ts';
import { newEntityState, nextEntityState, settledState } from '../entity-state.ts';
import { withKnownNames } from './stored-names.ts';

const previous: EntityDefinition = { entityName: 'order', UpdateParams: [{ name: 'body' }, { name: 'rank' }] };
const text = { name: 'text', aliases: ['body'], formerNames: ['body'], storedAs: 'body' };
const renamed: EntityDefinition = { entityName: 'order', UpdateParams: [text, { name: 'rank' }] };
const without: EntityDefinition = { entityName: 'order', UpdateParams: [{ name: 'rank' }] };

const first = newEntityState(previous, 1);
const second = nextEntityState(first, { before: previous, after: renamed }, 2);
const back = nextEntityState(second, { before: renamed, after: previous }, 3);

test('a release that was gone back from leaves the names that it gave, and none that the definition lists', () => {
  assert.equal(second.names, undefined);
  assert.deepEqual([second.freed, back.freed], [undefined, undefined]);
  assert.deepEqual(back.names, { body: ['text'] });
  assert.deepEqual(nextEntityState(back, { before: previous, after: renamed }, 4).names, undefined);
});

test('policies know a field by a name of a release that was gone back from', () => {
  const { naming, definition } = compileEntity(previous, 3, back);
  assert.deepEqual(naming?.byName.get('text'), ['body', 'text']);
  assert.equal(naming?.byName.get('rank')?.length, 1);
  assert.equal(definition, previous);
});

test('what is known of a field outlasts that it is hidden, and goes with its values', () => {
  const hidden = nextEntityState(back, { before: previous, after: without }, 4);
  assert.deepEqual(hidden.names, { body: ['text'] });
  assert.deepEqual(nextEntityState(hidden, { before: without, after: previous }, 5).names, { body: ['text'] });
  assert.equal(settledState(hidden, { indexes: [], fills: [], erased: ['body'] }, 5).names, undefined);
});

test('a name that another field has now is about that one', () => {
  const fields = [{ name: 'body' }, { name: 'text' }];
  assert.deepEqual(withKnownNames(fields, { body: ['text', 'note'] }), [
    { name: 'body', formerNames: ['note'] },
    { name: 'text' },
  ]);
});

test('a field that a release renamed and converted is known by its name once the release was gone back from', () => {
  const from = { name: 'body', storedAs: 'body' };
  const words = { ...text, colType: 'enum', enumValues: ['a'], storedAs: 'body@2', convert: { cel: '"a"', from } };
  const converted: EntityDefinition = { entityName: 'order', UpdateParams: [words, { name: 'rank' }] };
  const ahead = nextEntityState(first, { before: previous, after: converted }, 2);
  assert.deepEqual(nextEntityState(ahead, { before: converted, after: previous }, 3).names, { body: ['text'] });
});
