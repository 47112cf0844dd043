import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routeActions } from '@freehold/contract/route-actions';
import { systemEntityNames } from '@freehold/contract/system-entities';
import { entityNameProblem, fieldNameProblem, newEntityNameProblem } from './names.ts';

const listParameters = ['owner', 'all', 'view', 'q', 'facets', 'sortby', 'sortdir', 'pagesize', 'nexttoken'];
const builtIn = Object.getOwnPropertyNames(Object.prototype);

for (const name of ['a', 'order', 'order_2', 'x'.repeat(63), 'in', 'null', 'length', 'order_op', 'owner'])
  test(`\`${name.slice(0, 20)}\` names an entity`, () => assert.equal(entityNameProblem(name), undefined));

const noEntities = ['', 'Order', '1a', '_a', 'a-b', 'a b', 'a#b', 'é', 'x'.repeat(64), 'a\n', 'a\u0000', ...builtIn];

for (const name of [...noEntities, undefined, null, 7, ['order'], { toString: () => 'order' }])
  test(`${JSON.stringify(name)} names no entity`, () => assert.notEqual(entityNameProblem(name), undefined));

test('a system entity cannot be redefined', () => {
  assert.equal(systemEntityNames.length, 6);
  for (const name of systemEntityNames) assert.match(entityNameProblem(name) ?? '', /system entity/);
});

test('no new entity has a name that with a verb is the action of a route, and a stored one keeps it', () => {
  const requested = routeActions.map(({ action, method, path }) => `${action} ${method} ${path}`);
  assert.deepEqual(requested.toSorted(), [
    'createinvitation POST /user/invitations',
    'createinvitation POST /user/invitations/*/resend',
    'deleteinvitation DELETE /user/invitations/*',
    'deleteworkspace DELETE /user/workspace',
    'listinvitation GET /user/invitations',
    'updateworkspace PUT /user/workspace',
  ]);
  for (const { name } of routeActions) {
    assert.match(newEntityNameProblem(name) ?? '', /reach routes of the workspace/, name);
    assert.equal(entityNameProblem(name), undefined, name);
  }
  for (const name of ['workspaces', 'block', 'batch', 'me']) assert.equal(newEntityNameProblem(name), undefined, name);
});

test('the refusal of a reserved name proposes a name that is accepted', () => {
  const proposed = (problem = '') => /such as `(\w+)`/.exec(problem)?.[1] ?? problem;
  for (const name of [...systemEntityNames, ...routeActions.map((one) => one.name), 'constructor'])
    assert.equal(newEntityNameProblem(proposed(newEntityNameProblem(name))), undefined, name);
  for (const name of [...listParameters, 'title_op', `${'x'.repeat(60)}_op`, 'toString', 'constructor'])
    assert.equal(fieldNameProblem(proposed(fieldNameProblem(name))), undefined, name);
});

for (const name of ['a', 'A', 'title', 'customerId', 'a_1', 'X'.repeat(63), 'id', 'version', 'op', 'count', 'total'])
  test(`\`${name.slice(0, 20)}\` names a field`, () => assert.equal(fieldNameProblem(name), undefined));

const noFields = [
  '',
  '1a',
  '$a',
  '$total',
  '_a',
  'a-b',
  'a.b',
  'a b',
  'é',
  'X'.repeat(64),
  'a\n',
  'title_op',
  '_op',
  'a_op',
];

for (const name of [...noFields, ...listParameters, ...builtIn, undefined, null, 7, ['title']])
  test(`${JSON.stringify(name)} names no field`, () => assert.notEqual(fieldNameProblem(name), undefined));
