import assert from 'node:assert/strict';
import { test } from 'node:test';
import { policiesOfNewWorkspaces } from './template-policies.ts';

test('a new workspace has the policies of the platform and those of the template, each once', () => {
  assert.deepEqual(policiesOfNewWorkspaces({ policies: [{ name: 'clerk' }, { name: 'adminacl' }, { name: 7 }] }), [
    ...['vieweracl', 'adminacl', 'clerk'],
  ]);
  for (const template of [undefined, null, 'none', {}, { policies: 1 }])
    assert.deepEqual(policiesOfNewWorkspaces(template), ['vieweracl', 'adminacl']);
});
