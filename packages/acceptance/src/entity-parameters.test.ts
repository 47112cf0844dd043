/** The name of an entity is a parameter that three routes spell in three ways; each takes its own spelling alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import { readOpenapi } from './openapi-document.ts';
import { defineEntity, definition, foundedOrg, manage } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org } = await foundedOrg(gateways);
await defineEntity(org, definition('note', [{ name: 'title' }]));
const document = readOpenapi((await call('GET', `${org.management}/openapi.json`)).text);
const spellings = ['entityName', 'entityname', 'entity'];
const requested = document.operations.flatMap(({ method, path, parameters }) =>
  parameters
    .filter((one) => one.in === 'query' && spellings.includes(one.name))
    .map(({ name, required = false }) => ({ method, path, name, required })),
);

test('the three routes of an entity are described under the names of their parameters', () => {
  const ofEntity = requested.filter(({ path }) => path.startsWith('/api/entity'));
  assert.deepEqual(ofEntity.map(({ method, path, name, required }) => `${method} ${path}?${name} ${required}`).sort(), [
    'DELETE /api/entity?entityname true',
    'GET /api/entity/endpoints?entity true',
    'GET /api/entity?entityName true',
  ]);
});

// The removal comes last.
for (const { method, path, name } of requested.toSorted((one, other) => other.method.localeCompare(one.method)))
  test(`${method} ${path} takes \`${name}\` and no other spelling, alone or beside it`, async () => {
    const workspace = path.startsWith('/acl/') ? '&tenant_code=main' : '';
    const send = (query: string) => manage(org, method, `${path}?${query}${workspace}`);
    for (const other of spellings.filter((one) => one !== name)) {
      const beside = [`${name}=note&${other}=note`, `${other}=note&${name}=note`, `${name}=note&${other}=`];
      for (const query of [...beside, `${other}=note`]) assertProblem(await send(query), 'invalid_request');
    }
    assertProblem(await send(`${name}=note&${name}=note`), 'invalid_request');
    const { status, text } = await send(`${name}=note`);
    assert.ok(status < 300, text);
  });
