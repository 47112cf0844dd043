import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemConfig } from '../../config/config-set.ts';
import { Problem } from '../../lib/problem.ts';
import { namedByDefinition, readWithTargets, unknownTargets } from './lookup-targets.ts';

const of = { name: 'of', lookup: { entity: 'user' } };
const shownBy = (view: string) => ({ fields: [{ name: 'of', lookup: { view, as: 'user' } }] });
const definition = (Views: object, fields: readonly object[] = [of]) => ({
  entityName: 'order',
  UpdateParams: fields,
  Views,
});

test('what a stored definition names in vain is no reason to refuse another change of it', async () => {
  const before = definition({ full: shownBy('gone') });
  const previous = await unknownTargets(systemConfig, namedByDefinition(before));
  assert.deepEqual(
    previous.map(({ pointer, code }) => [pointer, code]),
    [['/Views/full/fields/0/lookup/view', 'unknown_view']],
  );
  const read = (Views: object) =>
    readWithTargets(systemConfig, { named: namedByDefinition(definition(Views)), previous }, () => 'read');
  assert.equal(await read({ full: shownBy('gone'), more: shownBy('compact') }), 'read');
  await assert.rejects(
    read({ full: shownBy('gone'), more: shownBy('other') }),
    (error) => error instanceof Problem && error.details.errors?.length === 1,
  );
});

test('of what is no definition it reads what it can', async () => {
  const odd: readonly unknown[] = [
    undefined,
    5,
    [],
    { UpdateParams: 5, Views: [] },
    { UpdateParams: [5, {}, { lookup: 5 }, { name: 5, lookup: { entity: 5 } }], Views: { a: 5, b: { fields: 5 } } },
    { UpdateParams: [of], Views: { a: { fields: [5, {}, { name: 'of', lookup: 5 }, { name: 'x', lookup: {} }] } } },
    definition({ full: shownBy('A b') }),
    definition({}, [{ name: 'a', lookup: { entity: 'A b' } }]),
  ];
  for (const input of odd) assert.deepEqual(await unknownTargets(systemConfig, namedByDefinition(input)), []);
});
