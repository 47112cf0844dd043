import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routeActions } from '@freehold/contract/route-actions';
import fc from 'fast-check';
import { actionsOf, entitiesIn, matches, patternsFor, patternsOf, workspaceActions } from './action-patterns.ts';

test('the actions about no record are those of the routes', () => {
  assert.deepEqual(workspaceActions.toSorted(), [...new Set(routeActions.map(({ action }) => action))].sort());
});

test('a pattern matches what the same regular expression matches', () => {
  const letters = (units: string) => fc.string({ unit: fc.constantFrom(...units), maxLength: 7 });
  fc.assert(
    fc.property(letters('abA*?'), letters('abB'), (pattern, action) => {
      const expression = `^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`;
      assert.equal(matches(pattern, action), new RegExp(expression, 'i').test(action));
    }),
  );
});

test('chosen verbs and entities become as few patterns as say them', () => {
  assert.deepEqual(patternsFor([], []), ['*']);
  assert.deepEqual(patternsFor(['get', 'list'], []), ['get*', 'list*']);
  assert.deepEqual(patternsFor([], ['order']), ['*order']);
  assert.deepEqual(patternsFor(['get'], ['order', 'note']), ['getorder', 'getnote']);
});

test('patterns are about the entities of the actions that they match', () => {
  assert.deepEqual(entitiesIn(['get*r', 'listnote'], ['order', 'note', 'tag']), ['order', 'note', 'user']);
  assert.ok(actionsOf(['order'], []).includes('deleteorder'));
  assert.ok(actionsOf([], []).includes('createinvitation'));
});

test('running a logic block is an action, chosen alone or beside those on entities', () => {
  const all = actionsOf(['order'], ['close-order']);
  assert.deepEqual(
    all.filter((action) => matches('run*', action)),
    ['runclose-order'],
  );
  assert.deepEqual(patternsOf({ verbs: [], entities: [], blocks: ['close-order'] }), ['runclose-order']);
  assert.deepEqual(patternsOf({ verbs: [], entities: [], blocks: ['close-order', '*'] }), ['run*']);
  assert.deepEqual(patternsOf({ verbs: ['get'], entities: ['order'], blocks: ['a'] }), ['getorder', 'runa']);
  assert.deepEqual(patternsOf({ verbs: [], entities: [], blocks: [] }), ['*']);
});
