import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usedBy } from './used-by.ts';

const none = { created_at: null, records: 0, entities: 0, indexes: 0 };
const usage = {
  api_calls: { today: 3, month: 40 },
  records_added: -2,
  runs: 9,
  deliveries: 0,
  script_ms: 0,
  mails: 0,
};

test('records count in both environments together, caps in the fuller one; work of today where it is limited', () => {
  const environments = {
    test: { ...none, records: 10, entities: 4, indexes: 1 },
    prod: { ...none, records: 5, entities: 2, indexes: 6, release: null },
  };
  const limits = [{ limit_name: 'runs_per_day', used: 2, limit: 5, percent: 40 }] as const;
  assert.deepEqual(usedBy({ usage, limits, environments }), {
    api_calls_per_day: 3,
    api_calls_per_month: 40,
    records: 15,
    entities: 4,
    indexes: 6,
    runs_per_day: 2,
  });
  assert.equal(usedBy({ usage, limits: [], environments: { test: none, prod: null } }).runs_per_day, undefined);
});
