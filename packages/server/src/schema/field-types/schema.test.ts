import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { isEmailAddress } from '../../lib/formats/email-address.ts';
import type { FieldDefinition } from '../definition.ts';
import { fieldOf, valuesFor } from '../testing/field-cases/any-field.ts';
import { behaviourOf } from '../testing/field-cases/field-case.ts';
import { readValue } from './field-type.ts';
import { schemaPattern } from './hints/pattern-hint.ts';
import { fieldTypes } from './registry.ts';

const ajv = new Ajv2020();
addFormats.default(ajv);

for (const colType of fieldTypes.keys())
  test(`the schema of ${colType} fields takes what they take and refuses what they refuse`, () => {
    const seen = { taken: 0, refused: 0 };
    const fieldAndValues = fieldOf(colType).chain((field) =>
      fc.tuple(fc.constant(field), fc.array(valuesFor(field), { minLength: 1, maxLength: 20 })),
    );
    const property = fc.property(fieldAndValues, ([field, values]) => {
      const behaviour = behaviourOf(field);
      const holds = ajv.compile(behaviour.schema);
      for (const value of values) {
        const isTaken = 'value' in readValue(behaviour, field.validate === true, value);
        seen[isTaken ? 'taken' : 'refused'] += 1;
        if (isTaken || !isBeyondSchemas(field, value)) assert.equal(holds(value), isTaken, JSON.stringify(value));
      }
    });
    fc.assert(property, { numRuns: 300 });
    assert.ok(seen.taken > 100 && seen.refused > 100, JSON.stringify(seen));
  });

/** Values that fields refuse and no schema can: the rest of what they refuse, it refuses as well. */
function isBeyondSchemas(field: FieldDefinition, value: unknown): boolean {
  if (field.colType === 'array' && Array.isArray(value))
    return value.some((element) => isBeyondSchemas({ name: 'x', ...field.items }, element));
  if (typeof value !== 'string') return false;
  switch (field.colType) {
    case 'datetime':
      // The zone pushes the time out of the years of four digits.
      return /^(0000|9999)/.test(value);
    case 'email':
      // The limits are in bytes.
      return !isEmailAddress(value) && isEmailAddress(value.replace(/[^\0-\x7f]/g, 'x'));
    case 'url':
      // The text has the form of an address, but there is no such host or port.
      return /^https?:/i.test(value) && URL.parse(value) === null;
    case 'string':
      return field.pattern !== undefined && schemaPattern(field.pattern) === undefined;
    default:
      return false;
  }
}
