import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileEntity } from '../compile-entity.ts';

const entity = compileEntity(
  {
    entityName: 'entry',
    UpdateParams: [
      { name: 'minutes', colType: 'number', aliases: ['time'] },
      { name: 'tags', colType: 'array', aliases: ['labels'] },
      { name: 'cost', colType: 'formula', formula: { cel: 'time * 2.0 + minutes', type: 'number' } },
      { name: 'line', colType: 'formula', formula: '{time} min' },
    ],
    checks: [{ cel: 'time > 1.0', message: 'longer than one' }],
  },
  1,
);

test('formulas and checks read a field by any of its names, and by what it holds they are bounded', () => {
  const compute = (name: string, record: object) => entity.fields.get(name)?.behaviour.compute?.({ ...record });
  assert.equal(compute('cost', { minutes: 5 }), 15);
  assert.equal(compute('line', { minutes: 5 }), '5 min');
  assert.equal(compute('cost', { time: 5 }), undefined);
  const [check] = entity.checks;
  assert.equal(check?.refuse({ minutes: 5 }), undefined);
  assert.equal(check?.refuse({ minutes: 1 })?.code, 'check_failed');
  const behaviour = entity.fields.get('line')?.behaviour;
  assert.equal(behaviour?.computedLength?.({ minutes: 50 }), '50 min'.length);
});
