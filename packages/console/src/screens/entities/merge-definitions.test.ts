import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Definition } from './definition.ts';
import { mergeDefinitions } from './merge-definitions.ts';

const base: Definition = {
  entityName: 'order',
  UpdateParams: [{ name: 'title', maxlength: 80 }, { name: 'amount', colType: 'number' }, { name: 'note' }],
  checks: [{ cel: 'amount > 0.0', message: 'positive' }],
  Views: { short: { fields: [{ name: 'title' }] } },
};

test('changes at different places are all kept', () => {
  const mine = {
    ...base,
    UpdateParams: [
      { name: 'title', maxlength: 80, index: true },
      { name: 'amount', colType: 'number' },
      { name: 'mine' },
    ],
    Views: { short: { fields: [{ name: 'title' }] }, mine: { fields: [] } },
  };
  const theirs = {
    ...base,
    UpdateParams: [
      { name: 'title', maxlength: 40 },
      { name: 'amount', colType: 'number' },
      { name: 'note' },
      { name: 'theirs' },
    ],
    checks: [],
  };
  const { definition, conflicts, theirs: reported } = mergeDefinitions(base, mine, theirs);
  assert.deepEqual(definition, {
    entityName: 'order',
    checks: [],
    Views: mine.Views,
    UpdateParams: [
      { name: 'title', maxlength: 40, index: true },
      { name: 'amount', colType: 'number' },
      { name: 'mine' },
      { name: 'theirs' },
    ],
  });
  assert.deepEqual(conflicts, []);
  assert.deepEqual(reported, ['checks is []', 'field title: maxlength is 40', 'field theirs is new']);
});

test('where both changed the same, the draft counts and the other value is named', () => {
  const of = (maxlength: number) => ({ ...base, UpdateParams: [{ name: 'title', maxlength }] });
  const { definition, conflicts } = mergeDefinitions(base, of(10), { ...base, ...of(40) });
  assert.equal(definition.UpdateParams?.[0]?.maxlength, 10);
  assert.deepEqual(conflicts, ['field title: maxlength: yours is 10, theirs 40']);
});

test('a field that was renamed meanwhile keeps its new name and what the draft changes of it', () => {
  const text = { name: 'text', maxlength: 80, aliases: ['title'], formerNames: ['title'], storedAs: 'title' };
  const theirs = { ...base, UpdateParams: [text, ...(base.UpdateParams ?? []).slice(1)] };
  const [, ...others] = base.UpdateParams ?? [];
  const longer = mergeDefinitions(
    base,
    { ...base, UpdateParams: [{ name: 'title', maxlength: 90 }, ...others] },
    theirs,
  );
  assert.deepEqual(longer.definition.UpdateParams?.[0], { ...text, maxlength: 90 });
  const renamed = { name: 'heading', renamedFrom: 'title', maxlength: 80 };
  const both = mergeDefinitions(base, { ...base, UpdateParams: [renamed, ...others] }, theirs);
  assert.equal(both.definition.UpdateParams?.[0]?.name, 'heading');
  assert.equal(both.definition.UpdateParams?.[0]?.renamedFrom, 'text');
  assert.deepEqual(both.conflicts, ['field text: name: yours is "heading", theirs "text"']);
});

test('a field that one removes and the other changes is named', () => {
  const [title, ...others] = base.UpdateParams ?? [];
  const without = { ...base, UpdateParams: others };
  const changed = { ...base, UpdateParams: [{ ...title, name: 'title', maxlength: 9 }, ...others] };
  assert.equal(mergeDefinitions(base, without, changed).definition.UpdateParams?.length, 2);
  assert.match(mergeDefinitions(base, without, changed).conflicts.join(), /yours removes it/);
  assert.equal(mergeDefinitions(base, changed, without).definition.UpdateParams?.length, 3);
  assert.match(mergeDefinitions(base, changed, without).conflicts.join(), /yours adds it again/);
  assert.equal(mergeDefinitions(base, base, without).definition.UpdateParams?.length, 2);
});

test('a side that changed nothing leaves the other as it is, whatever that is', () => {
  const field = fc.record(
    { name: fc.constantFrom('a', 'b', 'c', 'd'), maxlength: fc.nat(3) },
    { requiredKeys: ['name'], noNullPrototype: true },
  );
  const definitions = fc.record<Definition>(
    {
      entityName: fc.constant('order'),
      UpdateParams: fc.uniqueArray(field, { selector: ({ name }) => name }),
    },
    { noNullPrototype: true },
  );
  const sorted = ({ UpdateParams = [], ...rest }: Definition) => ({
    ...rest,
    UpdateParams: UpdateParams.toSorted((left, right) => left.name.localeCompare(right.name)),
  });
  fc.assert(
    fc.property(definitions, definitions, (from, to) => {
      const taken = mergeDefinitions(from, from, to);
      assert.deepEqual(sorted(taken.definition), sorted(to));
      assert.deepEqual(taken.conflicts, []);
      const kept = mergeDefinitions(from, to, from);
      assert.deepEqual(sorted(kept.definition), sorted(to));
      assert.deepEqual([kept.conflicts, kept.theirs], [[], []]);
    }),
  );
});
