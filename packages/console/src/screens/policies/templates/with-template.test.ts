import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withTemplate } from './with-template.ts';

const [a, b] = [
  { name: 'a', statements: [] },
  { name: 'b', statements: [1] },
];
const groups = [{ name: 'g', acl_policies: ['adminacl', 'a', 'b'] }];

test('a template is made, changed, renamed in the groups that name it, and taken out of them', () => {
  const templates = { policies: [a, b], groups };
  const c = { name: 'c', statements: [2] };
  assert.deepEqual(withTemplate(templates, undefined, c), { policies: [a, b, c], groups });
  assert.deepEqual(withTemplate(templates, 'a', { ...a, statements: [3] }), {
    policies: [{ name: 'a', statements: [3] }, b],
    groups,
  });
  assert.deepEqual(withTemplate(templates, 'a', c), {
    policies: [c, b],
    groups: [{ name: 'g', acl_policies: ['adminacl', 'c', 'b'] }],
  });
  assert.deepEqual(withTemplate(templates, 'b', undefined), {
    policies: [a],
    groups: [{ name: 'g', acl_policies: ['adminacl', 'a'] }],
  });
});

test('a template that another author took out meanwhile is made again', () => {
  assert.deepEqual(withTemplate({ policies: [b], groups: [] }, 'a', a), { policies: [b, a], groups: [] });
});
