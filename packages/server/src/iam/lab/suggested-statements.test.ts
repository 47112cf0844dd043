import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SuggestedStatements } from './suggested-statements.ts';

test('where not all have room, an Allow is left out and never a Deny', async () => {
  const suggested = new SuggestedStatements();
  const stored = (Effect: 'Allow' | 'Deny', nr: number) => {
    return { Effect, Action: ['*'], Resource: [`/item/order/${nr}`] };
  };
  for (let nr = 0; nr < 60; nr++)
    for (const action of ['getorder', 'updateorder'])
      suggested.add(stored('Allow', nr), { action, shape: '/item/order/{id}', Effect: 'Allow' });
  suggested.add(stored('Deny', 7), { action: 'getorder', shape: '/item/order/{id}', Effect: 'Deny' });
  const { statements, left_out } = await suggested.result(() => undefined);
  assert.equal(statements.filter(({ Effect }) => Effect === 'Deny').length, 1);
  assert.deepEqual([statements.length, left_out], [50, 22]);
});

test('a Deny that is kept stays as it is, beside what is used of an Allow, and what is no statement is left out', async () => {
  const suggested = new SuggestedStatements();
  const deny = { Effect: 'Deny', Action: ['delete*', 'update*'], Resource: ['/item/order/*'] } as const;
  for (const stored of [deny, deny, { ...deny, Effect: 'Maybe' }, { Effect: 'Deny', Resource: ['*'] }])
    suggested.keep(stored);
  const allow = { Effect: 'Allow', Action: ['*'], Resource: ['*'] };
  suggested.add(allow, { action: 'getorder', shape: '/item/order/{id}', Effect: 'Allow' });
  suggested.add({ ...allow, Effect: 'Maybe' }, { action: 'listorder', shape: '/list/order', Effect: 'Allow' });
  const { statements, left_out } = await suggested.result(() => undefined);
  assert.deepEqual(
    [statements, left_out],
    [[{ ...allow, Action: ['getorder'], Resource: ['/item/order/*'] }, deny], 0],
  );
});

const report = { Sid: 'Try', Effect: 'Deny', Action: ['getorder'], Resource: ['*'], Mode: 'report' } as const;

test('a report-only statement stays as it is, behind what is enforced, and is told where it has no room', async () => {
  const suggested = new SuggestedStatements();
  const shape = '/item/order/{id}';
  const allow = (nr: number) => ({ Effect: 'Allow', Action: ['*'], Resource: [`/item/order/${nr}`] });
  const fill = (from: number, to: number) => {
    for (let nr = from; nr < to; nr++) suggested.add(allow(nr), { action: 'getorder', shape, Effect: 'Allow' });
  };
  for (const stored of [report, report, { ...report, Action: ['listorder'] }, { ...report, Effect: 'Maybe' }])
    suggested.keepReport(stored);
  fill(0, 48);
  const { Sid: _, ...nameless } = report;
  const whole = await suggested.result(() => undefined);
  assert.deepEqual(whole.statements.slice(48), [report, { ...nameless, Action: ['listorder'] }]);
  assert.deepEqual([whole.left_out, whole.reports_left_out], [0, 0]);
  fill(48, 49);
  const narrow = await suggested.result(() => undefined);
  assert.deepEqual(narrow.statements.slice(49), [report]);
  assert.deepEqual([narrow.left_out, narrow.reports_left_out], [0, 1]);
  fill(49, 60);
  const full = await suggested.result(() => undefined);
  assert.ok(full.statements.every(({ Mode }) => Mode === undefined));
  assert.deepEqual([full.statements.length, full.left_out, full.reports_left_out], [50, 10, 2]);
});
