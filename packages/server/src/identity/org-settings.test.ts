import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { namesOf, settingTypes } from './org-settings.ts';

for (const type of settingTypes) {
  test(`\`${type.key}\` takes its own default as it is, and so does its schema`, () => {
    assert.deepEqual(type.parse(type.byDefault), { value: type.byDefault });
    assert.ok(new Ajv2020({ strict: true }).validate(type.schema, type.byDefault));
    assert.ok(type.description.endsWith('.'));
  });
}

test('the name of a setting goes back to one group and one name', () => {
  for (const type of settingTypes) {
    const { group, name } = namesOf(type);
    assert.equal(`${group}.${name}`, type.key);
    assert.match(type.key, /^[a-z]+\.[a-z_]+$/);
  }
});
