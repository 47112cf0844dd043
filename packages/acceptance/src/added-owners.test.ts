/** A new definition whose owner index names a field that is none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { create, definition, foundedOrg, manage } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { deploy, inProduction } from './promotion.ts';

const gateways = await platformForTests();

interface Defined {
  readonly warnings?: readonly string[];
}

interface Entity {
  readonly create: { readonly UpdateParams: readonly object[] };
}

const ownedBy = (...names: readonly string[]) =>
  names.map((name) => ({ ownerFieldName: name, gpkTemplate: `org#{org};o#{${name}}`, gskTemplate: '{id}' }));

test('the owner becomes a field of the definition, and the reply says so', async () => {
  const { org, founder } = await foundedOrg(gateways);
  const body = { ...definition('task', [{ name: 'title' }]), ownerIndexes: ownedBy('owner_id') };
  for (const [query, status] of [['?dry_run=true', 200] as const, ['', 201] as const]) {
    const defined = await manage<Defined>(org, 'POST', `/api/create-task${query}`, { body });
    assert.equal(defined.status, status, defined.text);
    assert.match(String(defined.body.warnings), /^field `owner_id` is added as a `guid`/);
  }
  const fieldsIn = async (env: string) =>
    (await manage<Entity>(org, 'GET', `/api/entity?entityName=task&env=${env}`)).body.create.UpdateParams;
  const fields = [{ name: 'title' }, { name: 'owner_id', colType: 'guid' }];
  assert.deepEqual(await fieldsIn('test'), fields);
  assert.equal((await create(founder, 'task', { title: 'mine' })).owner_id, founder.id);
  const document = await manage(org, 'GET', '/api/openapi.json?entity=task');
  assert.match(document.text, /"owner_id":\{[^{}]*"format":"uuid"/);
  await inProduction(org);
  await deploy(org);
  assert.deepEqual(await fieldsIn('prod'), fields);
  const change = { body: { ownerIndexes: ownedBy('owner_id', 'seller_id') } };
  const refused = await manage(org, 'PUT', '/api/create-task', change);
  assert.deepEqual(pointers(assertProblem(refused, 'unknown_field')), ['/ownerIndexes/1/ownerFieldName']);
});
