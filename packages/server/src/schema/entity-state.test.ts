import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EntityDefinition } from './definition.ts';
import { newEntityState, nextEntityState } from './entity-state.ts';

const definition = fc
  .array(
    fc.record({ name: fc.constantFrom('a', 'b', 'c'), colType: fc.constantFrom('string', 'integer', 'encrypted') }),
    {
      maxLength: 3,
    },
  )
  .map((fields): EntityDefinition => {
    const byName = new Map(fields.map((field) => [field.name, field]));
    return { entityName: 'order', UpdateParams: [{ name: 'id', colType: 'guid' }, ...byName.values()] };
  });

const shownBy = ({ UpdateParams }: EntityDefinition) =>
  UpdateParams.filter(({ name, colType }) => name !== 'id' && colType !== 'encrypted').map(({ name }) => name);

test('hidden is whatever some definition put into records and the one that stands does not show', () => {
  fc.assert(
    fc.property(definition, fc.array(definition, { maxLength: 5 }), (first, changes) => {
      let state = newEntityState(first, 1);
      let before = first;
      for (const [index, after] of changes.entries()) {
        state = nextEntityState(state, { before, after }, index + 2);
        before = after;
      }
      const ever = new Set([first, ...changes].flatMap(shownBy));
      const hidden = [...ever].filter((name) => !shownBy(before).includes(name));
      assert.deepEqual([...state.hidden].sort(), hidden.sort());
      assert.equal(state.version, changes.length + 1);
      assert.equal(state.generation, state.version);
      const isSealed = ({ UpdateParams }: EntityDefinition) =>
        UpdateParams.some(({ colType }) => colType === 'encrypted');
      assert.equal(state.hasSealed, [first, ...changes].some(isSealed));
    }),
  );
});
