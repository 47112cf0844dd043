/** A definition that is changed under the name that its create was called by. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { definition, manage, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { deploy, inProduction } from './promotion.ts';

const gateways = await platformForTests();

const title = { name: 'title', colType: 'string' };

interface Changed {
  readonly entityName: string;
  readonly api: string;
}

interface Entity {
  readonly create: { readonly apiname?: string; readonly key: string };
}

test('the definition is changed under the name that its create was called by, which goes to production with it', async () => {
  const org = await signUp(gateways);
  const named = { body: definition('order', [title]) };
  assert.equal((await manage(org, 'POST', '/api/order.api', named)).status, 201);
  const body = { UpdateParams: [{ name: 'amount', colType: 'number' }] };
  const reply = await manage<Changed>(org, 'PUT', '/api/order.api', { body });
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual([reply.body.entityName, reply.body.api], ['order', 'create-order']);
  const shown = async (env: string) =>
    (await manage<Entity>(org, 'GET', `/api/entity?entityName=order&env=${env}`)).body.create;
  const { apiname, key } = await shown('test');
  assert.deepEqual([apiname, key], ['order.api', 'apiname#create-order;version#active']);
  await inProduction(org);
  await deploy(org);
  assert.equal((await shown('prod')).apiname, 'order.api');
  const twin = { body: definition('visit', [title]) };
  assert.equal((await manage(org, 'POST', '/api/order.api', twin)).status, 201);
  const { detail } = assertProblem(await manage(org, 'PUT', '/api/order.api', { body: {} }), 'conflict');
  assert.match(detail ?? '', /`order` or `visit`/);
  const chosen = await manage<Changed>(org, 'PUT', '/api/order.api', { body: { ...body, entityName: 'visit' } });
  assert.equal(chosen.body.entityName, 'visit', chosen.text);
  assertProblem(await manage(org, 'PUT', '/api/order-api', { body }), 'not_found');
});
