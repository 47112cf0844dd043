/** A record that is read and written under several definitions of one field, each converted from the one before it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type CompiledEntity,
  compileEntity,
  type EntityDefinition,
  type EntityState,
  type FieldDefinition,
  newEntityState,
  nextEntityState,
} from '../schema/port.ts';
import { makeRecord, type RecordData, readRecord, storedText } from './record.ts';

type Value = string | number | undefined;

const level0: FieldDefinition = { name: 'minutes' };
const level1: FieldDefinition = {
  name: 'minutes',
  colType: 'integer',
  storedAs: 'minutes@2',
  convert: { cel: 'int(minutes)', from: { name: 'minutes', storedAs: 'minutes' } },
};
const level2: FieldDefinition = {
  name: 'hours',
  formerNames: ['minutes'],
  colType: 'number',
  storedAs: 'minutes@3',
  convert: {
    cel: 'minutes / 60.0',
    from: {
      name: 'minutes',
      colType: 'integer',
      storedAs: 'minutes@2',
      ...(level1.convert && { convert: level1.convert }),
    },
  },
};
const definitions: readonly EntityDefinition[] = [level0, level1, level2].map((field) => ({
  entityName: 'entry',
  UpdateParams: [{ name: 'title' }, field],
}));

/** The value of one level at the next; undefined where it cannot be converted. */
const up = [
  (value: Value): Value => (/^[0-9]+$/.test(String(value)) ? Number(value) : undefined),
  (value: Value): Value => (value === undefined ? undefined : Number(value) / 60),
];

/** The values that were written, by level. */
class PlainRecord {
  readonly #written: Value[] = [undefined, undefined, undefined];

  read(level: number): Value {
    const own = this.#written[level];
    if (own !== undefined || level === 0) return own;
    return up[level - 1]?.(this.read(level - 1));
  }

  write(level: number, value: Value): void {
    const before = this.read(level);
    const isCleared = before !== undefined && value === undefined;
    this.#written.forEach((_, other) => {
      if ((other < level && isCleared) || (other > level && value !== before)) this.#written[other] = undefined;
    });
    this.#written[level] = value;
  }
}

interface Bench {
  level: number;
  version: number;
  state: EntityState;
  entity: CompiledEntity;
  text: string;
}

function moveTo(bench: Bench, level: number): void {
  const [before, after] = [definitions[bench.level], definitions[level]];
  assert.ok(before !== undefined && after !== undefined);
  bench.version += 1;
  bench.state = nextEntityState(bench.state, { before, after }, bench.version);
  bench.entity = compileEntity(after, bench.version, bench.state);
  bench.level = level;
}

function dataIn({ entity, text }: Bench): RecordData {
  return readRecord(entity, { pk: 'p', sk: 's', version: 1, value: text }).data;
}

const nameAt = (level: number): string => (level === 2 ? 'hours' : 'minutes');

function write(bench: Bench, change: Readonly<Record<string, Value>>): void {
  const data = dataIn(bench);
  const made = makeRecord(bench.entity, (name) => (name in change ? change[name] : data[name]), data);
  bench.text = storedText(bench.entity, { data: made, version: 1 }).value;
}

const texts = ['1', '2', '60', '1h'];
const valueAt = (level: number, choice: number): Value =>
  [undefined, texts[choice % 4], 60 * choice, choice / 2][choice === 0 ? 0 : level + 1];

const step = fc.oneof(
  fc.record({ kind: fc.constant('move' as const), choice: fc.nat(2) }),
  fc.record({ kind: fc.constant('write' as const), choice: fc.nat(4) }),
  fc.record({ kind: fc.constant('touch' as const), choice: fc.nat(9) }),
);

test('the later write counts under every definition of a converted field, whichever way the releases go', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const stamps = { id: 'x', created_at: 't', updated_at: 't', created_by: 'u', updated_by: 'u' };
      const [first] = definitions;
      assert.ok(first !== undefined);
      const state = newEntityState(first, 1);
      const bench: Bench = { level: 0, version: 1, state, entity: compileEntity(first, 1, state), text: '{}' };
      bench.text = JSON.stringify(stamps);
      const plain = new PlainRecord();
      for (const { kind, choice } of steps) {
        if (kind === 'move') moveTo(bench, choice);
        else if (kind === 'touch') {
          write(bench, { title: String(choice) });
          plain.write(bench.level, plain.read(bench.level));
        } else {
          const value = valueAt(bench.level, choice);
          write(bench, { [nameAt(bench.level)]: value });
          plain.write(bench.level, value);
        }
        assert.equal(dataIn(bench)[nameAt(bench.level)], plain.read(bench.level), JSON.stringify(steps));
      }
    }),
  );
});

test('a text that is too long for a conversion is not converted, and stays', () => {
  const [, second] = definitions;
  assert.ok(second !== undefined);
  const entity = compileEntity(second, 2);
  const value = JSON.stringify({ id: 'x', minutes: `${' '.repeat(40_000)}1` });
  const { data } = readRecord(entity, { pk: 'p', sk: 's', version: 1, value });
  assert.equal(data.minutes, undefined);
  assert.equal(storedText(entity, { data, version: 1 }).value, value);
});
