import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Problem } from '../../lib/problem.ts';
import { compileEntity } from '../../schema/compile-entity.ts';
import type { FieldDefinition } from '../../schema/definition.ts';
import { fillTemplate, parseTemplate } from '../../schema/key-template.ts';
import { makeRecord } from '../record.ts';
import { recordBytesMax, storedJson } from './record-size.ts';

const stamps = { id: 'i', created_at: 't', updated_at: 't', created_by: 'u', updated_by: 'u' };

/** An entity of one text and of formulas `f0`, `f1`, …, each with the number of times it was computed. */
function entityOf(formulas: readonly string[]) {
  const fields: FieldDefinition[] = formulas.map((formula, index) => ({
    name: `f${index}`,
    colType: 'formula',
    formula,
  }));
  const entity = compileEntity({ entityName: 'thing', UpdateParams: [{ name: 'text' }, ...fields] }, 1);
  const computed: string[] = [];
  for (const { name, behaviour } of entity.fields.values()) {
    const { compute } = behaviour;
    if (compute === undefined) continue;
    Object.assign(behaviour, {
      compute: (record: Parameters<typeof compute>[0]) => {
        computed.push(name);
        return compute(record);
      },
    });
  }
  const make = (text: string) => makeRecord(entity, (name) => (name === 'text' ? text : undefined), stamps);
  return { entity, computed, make };
}

function refusedField(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    const { code, details } = error as Problem;
    assert.deepEqual([code, details.errors?.map((one) => one.code)], ['validation_failed', ['too_long']]);
    return details.errors?.[0]?.pointer;
  }
}

test('no computed value is made that a record has no room for, nor one behind it', () => {
  const { make, computed } = entityOf(Array.from({ length: 190 }, () => '{text}'.repeat(20)));
  assert.equal(
    refusedField(() => make('x'.repeat(1_000_000))),
    '/f0',
  );
  assert.deepEqual(computed, []);
  assert.equal(
    refusedField(() => make('x'.repeat(30_000))),
    '/f3',
  );
  assert.deepEqual(computed, ['f0', 'f1', 'f2']);
});

test('the length of a formula is that of what it makes', () => {
  const { entity } = entityOf(['a{text}-{id}{text}', 'none', '{missing}']);
  for (const text of ['', 'x', '😀é', 'x'.repeat(1000)])
    for (const { behaviour } of entity.fields.values()) {
      const inputs = { id: 'i', text };
      assert.equal(
        behaviour.computedLength?.(inputs),
        behaviour.compute === undefined ? undefined : String(behaviour.compute(inputs)).length,
      );
    }
});

test('a record may have exactly as many bytes as it may, and the field is named that is a byte too long', () => {
  const { entity, make } = entityOf(['{text}', '{text}']);
  for (const unit of ['x', 'é', '"', '\u0001', '😀']) {
    const bytesOf = (units: number) => Buffer.byteLength(JSON.stringify(make(unit.repeat(units))));
    const perUnit = bytesOf(2) - bytesOf(1);
    const most = Math.floor((recordBytesMax - bytesOf(0)) / perUnit);
    assert.equal(
      refusedField(() => storedJson(entity, make(unit.repeat(most)))),
      undefined,
      unit,
    );
    assert.equal(
      refusedField(() => storedJson(entity, make(unit.repeat(most + 1)))),
      '/f1',
      unit,
    );
  }
});

test('a record that is too long without what is computed is left to the store', () => {
  const { entity, make } = entityOf(['{id}']);
  assert.ok(storedJson(entity, make('x'.repeat(recordBytesMax))).length > recordBytesMax);
});

test('no key is made of a value that is longer than a key', () => {
  const template = parseTemplate(Array.from({ length: 40 }, () => '{text}').join('#'));
  assert.ok(typeof template === 'object');
  let requestCount = 0;
  const filled = fillTemplate(template, () => {
    requestCount += 1;
    return '#'.repeat(1_000_000);
  });
  assert.deepEqual([filled, requestCount], ['too long', 1]);
});
