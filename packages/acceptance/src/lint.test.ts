import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import type { Reply } from './call.ts';
import { act, allow, defineEntity, definition, deny, foundedOrg, manage, newOrgCode, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, definition('order', [{ name: 'title', colType: 'string' }]));

interface Linted {
  readonly findings: readonly { readonly severity: string; readonly code: string; readonly pointer: string }[];
}

function lint(body: unknown, request = org): Promise<Reply<Linted>> {
  return manage<Linted>(request, 'POST', '/acl/lint', { body });
}

async function codes(statements: unknown, request = org): Promise<readonly string[]> {
  const reply = await lint({ statements }, request);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.findings.map(({ code }) => code);
}

test('a builder learns what is likely not to mean what it says, by the entities of the org', async () => {
  assert.deepEqual(await codes([allow(['get*', 'listorder'])]), []);
  assert.deepEqual(await codes([allow('getordr')]), ['unknown_entity']);
  assert.deepEqual(await codes([allow('getorder', '/list/*')]), ['never_matches', 'never_matches']);
  assert.deepEqual(await codes([allow('getorder'), deny('get*')]), ['shadowed_by_deny']);
  assert.deepEqual(await codes([allow('create*')]), ['writes_access_control', 'reaches_workspace']);
  assert.deepEqual(await codes([allow(['update*', 'delete*'])]), [
    'writes_access_control',
    'writes_access_control',
    'reaches_workspace',
    'reaches_workspace',
  ]);
  const other = await signUp(gateways, newOrgCode());
  assert.deepEqual(await codes([allow('getorder')], other), ['unknown_entity']);
});

test('every mistake that a policy is refused for is a finding of the same code and place', async () => {
  const statements = [{ Effect: 'allow', Action: ['grab'], Resource: [], More: 1 }];
  const refusal = assertProblem(
    await act(founder, 'POST', '/create/aclpolicy', { body: { name: 'wrong', statements } }),
    'validation_failed',
  );
  const { body } = await lint({ statements });
  const errors = body.findings.filter(({ severity }) => severity === 'error').map(({ pointer }) => pointer);
  assert.deepEqual([...errors].sort(), pointers(refusal));
});

test('a body that holds no statements is refused with the places that are wrong', async () => {
  assert.deepEqual(pointers(assertProblem(await lint({}), 'validation_failed')), ['/statements']);
  assert.deepEqual(pointers(assertProblem(await lint({ statements: [], name: 'x' }), 'unknown_field')), ['/name']);
  assert.deepEqual(pointers(assertProblem(await lint({ statements: [], env: 'dev' }), 'validation_failed')), ['/env']);
  assertProblem(await lint([]), 'validation_failed');
  assert.equal((await lint({ statements: 'x' })).body.findings[0]?.severity, 'error');
});
