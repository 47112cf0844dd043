import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Statement } from '../../access/port.ts';
import { describeTemplates, type WorkspaceTemplates, widenedTemplates } from './describe-templates.ts';

const read: Statement = { Effect: 'Allow', Action: ['getvisit'], Resource: ['/item/visit/*'] };
const write: Statement = { Sid: 'Write', Effect: 'Allow', Action: ['createvisit'], Resource: ['*'] };

function reader(...statements: readonly Statement[]): WorkspaceTemplates {
  return { policies: [{ name: 'reader', statements }], groups: [] };
}

const none: WorkspaceTemplates = { policies: [], groups: [] };

test('policies and groups that come and go are named with what they hold', () => {
  const groups = [{ name: 'staff', acl_policies: ['reader', 'vieweracl'] }];
  assert.deepEqual(describeTemplates(none, { ...reader(read, write), groups }), [
    'policy `reader` is new: it has 2 statements',
    'group `staff` is new: it holds `reader`, `vieweracl`',
  ]);
  assert.deepEqual(describeTemplates({ ...reader(read), groups }, none), [
    'policy `reader` is taken out',
    'group `staff` is taken out',
  ]);
  const others = [{ name: 'staff', acl_policies: ['vieweracl', 'writer'] }];
  assert.deepEqual(describeTemplates({ ...none, groups }, { ...none, groups: others }), [
    'group `staff`: the list of policies gains `writer` and loses `reader`',
  ]);
  assert.deepEqual(describeTemplates({ ...reader(read), groups }, { ...reader(read), groups }), []);
});

test('a statement that differs is shown with what it gains and loses, and one that has only moved is not', () => {
  const misspelt = { ...read, Action: ['getvisitt'] };
  assert.deepEqual(describeTemplates(reader(read), reader(misspelt)), [
    'policy `reader`: statement 1: `Action` gains `getvisitt` and loses `getvisit`',
  ]);
  assert.deepEqual(describeTemplates(reader(read), reader(write, read)), [
    'policy `reader`: statement `Write` is new: `Allow` `createvisit` on `*`',
  ]);
  assert.deepEqual(describeTemplates(reader(write, read), reader(read)), [
    'policy `reader`: statement `Write` is taken out: `Allow` `createvisit` on `*`',
  ]);
  assert.deepEqual(describeTemplates(reader(read, write), reader(write, read)), [
    'policy `reader`: its statements have another order',
  ]);
  const held: Statement = {
    ...write,
    Effect: 'Deny',
    Condition: { Bool: { 'user.active': ['true'] } },
    Mode: 'report',
  };
  assert.deepEqual(describeTemplates(reader(write), reader(held)), [
    'policy `reader`: statement `Write`: `Effect` is `"Deny"` now, and was `"Allow"`',
    'policy `reader`: statement `Write`: `Condition` is `{"Bool":{"user.active":["true"]}}` now, and was left out',
    'policy `reader`: statement `Write`: `Mode` is `"report"` now, and was left out',
  ]);
});

test('what widens access in new workspaces is said, and nothing else', () => {
  const deny: Statement = { ...write, Effect: 'Deny' };
  const report = 'report' as const;
  const widened = (before: WorkspaceTemplates, after: WorkspaceTemplates) => widenedTemplates(before, after);
  assert.deepEqual(widened(none, reader(read)), ['new workspaces get the policy `reader`']);
  for (const narrow of [reader(deny), reader({ ...read, Mode: report }), reader()])
    assert.deepEqual(widened(none, narrow), []);
  assert.deepEqual(widened(reader(read), reader(read)), []);
  assert.deepEqual(widened(reader(read, write), reader(read)), []);
  assert.deepEqual(widened(reader(read), reader(read, write)), [
    'the policy `reader` of new workspaces allows `createvisit` on `*`',
  ]);
  assert.deepEqual(widened(reader(read, deny), reader(read)), [
    'the policy `reader` of new workspaces no longer denies `createvisit` on `*`',
  ]);

  const holding = (policies: readonly string[], ...statements: readonly Statement[]): WorkspaceTemplates => ({
    ...reader(...statements),
    groups: [{ name: 'staff', acl_policies: policies }],
  });
  assert.deepEqual(widened(holding([], deny), holding(['reader'], deny)), [
    'the group `staff` of new workspaces holds the policy `reader`',
  ]);
  assert.deepEqual(widened(holding(['reader'], deny), holding([], deny)), [
    'the group `staff` of new workspaces no longer holds the policy `reader`, which denies',
  ]);
  for (const statement of [read, { ...deny, Mode: report }])
    assert.deepEqual(widened(holding(['reader'], statement), holding([], statement)), []);
});
