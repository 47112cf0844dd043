import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiNamesOf, namesByAlias, namesOf, storedNameOf, withFormerNames } from './definition.ts';

const renamed = { name: 'text', aliases: ['body'], formerNames: ['body', 'note'], storedAs: 'note' };

test('a field that has one name has it everywhere', () => {
  const field = { name: 'text' };
  assert.equal(storedNameOf(field), 'text');
  assert.deepEqual(apiNamesOf(field), ['text']);
  assert.deepEqual(namesOf(field), ['text']);
  assert.equal(withFormerNames(field), field);
});

test('callers use the name and the aliases, policies every name there was, and the store the one that stays', () => {
  assert.equal(storedNameOf(renamed), 'note');
  assert.deepEqual(apiNamesOf(renamed), ['text', 'body']);
  assert.deepEqual(namesOf(renamed), ['text', 'body', 'note']);
  assert.equal(withFormerNames(renamed), renamed);
});

test('aliases and the stored name become former names, but for a stored name that no field can have', () => {
  const { formerNames } = withFormerNames({ name: 'text', aliases: ['body'], storedAs: 'note' });
  assert.deepEqual(formerNames, ['body', 'note']);
  assert.deepEqual(namesOf({ name: 'text', storedAs: 'text@12' }), ['text']);
});

test('an alias leads to the name of its field, and entities without aliases share one map', () => {
  const names = namesByAlias([{ name: 'title' }, renamed]);
  assert.deepEqual([...names], [['body', 'text']]);
  assert.equal(namesByAlias([{ name: 'title' }]), namesByAlias([]));
});
