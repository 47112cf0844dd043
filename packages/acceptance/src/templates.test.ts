/** Templates in the texts of configuration are checked when it is defined, imported and published. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { defineEntity, definition, foundedOrg, manage, type Org } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { change, type Published, provisionedOrg, publish, tryActivate } from './promotion.ts';

const gateways = await platformForTests();

const block = (record: string, title = '{{steps.read.title}}') => ({
  name: 'copy',
  input_schema: { type: 'object', properties: { id: { type: 'string' } }, additionalProperties: false },
  steps: [
    { id: 'read', type: 'get', entity: 'order', record },
    { id: 'find', type: 'list', entity: 'order', filters: [{ field: 'title', op: 'eq', value: title }] },
  ],
});

function define(org: Org, content: object) {
  return manage(org, 'POST', '/config/logicblock', { body: { name: 'copy', content } });
}

test('a mistake in a template is refused with its place, whichever route brings it, and nothing is changed', async () => {
  const { org } = await foundedOrg(gateways);
  await defineEntity(org, definition('order', [{ name: 'title' }, { name: 'total', colType: 'number' }]));
  const errors = [
    {
      pointer: '/steps/0/record',
      code: 'invalid_expression',
      message: 'at character 3: there is no field `key` that it can read',
    },
    {
      pointer: '/steps/1/filters/0/value',
      code: 'invalid_expression',
      message: 'at character 6: no operator takes these types: `double + string`',
    },
  ];
  const wrong = block('{{input.key}}', 'of {{steps.read.total + "!"}}');
  const refused = assertProblem(await define(org, wrong), 'validation_failed');
  assert.deepEqual(
    refused.errors,
    errors.map((error) => ({ ...error, pointer: `/content${error.pointer}` })),
  );
  assertProblem(await manage(org, 'GET', '/config/logicblock/copy'), 'not_found');
  assert.equal((await define(org, block('{{input.id}}'))).status, 201);
  const replaced = await manage(org, 'PUT', '/config/logicblock/copy', { body: wrong });
  assert.deepEqual(assertProblem(replaced, 'validation_failed').errors, errors);
  const { body } = await manage<{ content: object }>(org, 'GET', '/config/logicblock/copy');
  assert.deepEqual(body.content, block('{{input.id}}'));
});

test('a publication reports templates that do not fit to the entities of production, and cannot be activated', async () => {
  const org = await provisionedOrg(gateways);
  const fields = [{ name: 'title' }, { name: 'total', colType: 'number' }];
  await defineEntity(org, definition('order', fields));
  assert.equal((await define(org, block('{{input.id}}'))).status, 201);
  assert.deepEqual(mistakesOf(await publish(org)), []);
  assert.equal((await tryActivate(org)).status, 200);
  await change(org, 'create-order', { UpdateParams: [{ name: 'total', colType: 'number' }] });
  const published = await publish(org);
  assert.deepEqual(mistakesOf(published), [
    'error copy /steps/1/filters/0/value at character 3: there is no field `title` that it can read',
    'error copy /steps/1/filters/0/field `title` is neither a parameter nor a field of `order`',
  ]);
  assertProblem(await tryActivate(org), 'conflict');
});

function mistakesOf({ checks }: Published): readonly string[] {
  return checks
    .filter(({ check }) => check === 'definition')
    .map(({ level, name, pointer, message }) => `${level} ${name} ${pointer} ${message}`);
}
