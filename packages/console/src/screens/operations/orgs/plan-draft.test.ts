import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownPlans } from '@freehold/contract/plans';
import { reachedLimits, type Used, usedNames } from './limits.ts';
import { chosen, draftOf, faultsOf, limitsOf, planOf } from './plan-draft.ts';

test('a plan with limits of its own by its name is sent by its name alone', () => {
  const draft = draftOf({ name: 'free', limits: knownPlans.free });
  assert.equal(draft.choice, 'free');
  assert.equal(faultsOf(draft), undefined);
  assert.deepEqual(planOf(draft), { name: 'free' });
  assert.deepEqual(planOf(chosen(draft, 'unlimited')), { name: 'unlimited' });
});

test('a known name with other limits is a plan of its own, which needs another name', () => {
  const draft = draftOf({ name: 'free', limits: { records: 5 } });
  assert.equal(draft.choice, 'own');
  assert.match(faultsOf(draft)?.name ?? '', /plan with limits of its own/);
});

test('an own plan begins with the limits that were shown, and is sent with each that is limited', () => {
  const own = chosen(draftOf({ name: 'pro', limits: knownPlans.pro }), 'own');
  assert.deepEqual(limitsOf(own), knownPlans.pro);
  assert.equal(faultsOf(own)?.name, 'Give the plan a name.');
  const named = { ...own, ownName: 'acme-2026' };
  assert.equal(faultsOf(named), undefined);
  assert.deepEqual(planOf(named), { name: 'acme-2026', limits: knownPlans.pro });
});

test('no limit is chosen and never the meaning of an empty field', () => {
  const started = draftOf({ name: 'custom', limits: { records: 5, run_days: 3 } });
  const emptied = {
    ...started,
    ownLimits: {
      ...started.ownLimits,
      records: { isUnlimited: false, typed: '' },
      entities: { isUnlimited: false, typed: 1.5 },
      run_days: { isUnlimited: false, typed: 401 },
    },
  };
  assert.deepEqual(faultsOf(emptied), {
    name: undefined,
    limits: {
      records: 'Type a number, or choose Unlimited.',
      entities: 'This is no whole number from 0 on.',
      run_days: 'From 1 to 400 days.',
    },
  });
  const unlimited = { ...started, ownLimits: { ...started.ownLimits, records: { isUnlimited: true, typed: 5 } } };
  assert.deepEqual(planOf(unlimited), { name: 'custom', limits: { run_days: 3 } });
});

test('a limit is reached by as much as it allows, and one of nothing at once', () => {
  const none = Object.fromEntries(usedNames.map((name) => [name, 0])) as Used;
  const limits = { records: 10, entities: 3, api_calls_per_day: 0 };
  const reached = reachedLimits(limits, { ...none, records: 10, entities: 2 });
  assert.deepEqual(
    reached.map(({ name, used, limit }) => [name, used, limit]),
    [
      ['api_calls_per_day', 0, 0],
      ['records', 10, 10],
    ],
  );
});
