import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planFigures } from './plan-figures.ts';

type Given = Parameters<typeof planFigures>[0];

const given: Given = {
  plan: { name: 'own', limits: { api_calls_per_day: 100, entities: 5 }, updated_at: null, upgrade_url: 'https://x' },
  usage: {
    api_calls: { today: 80, month: 900, by_day: [] },
    records: { total: 7, by_entity: {} },
    by_workspace: [],
  },
  work: { today: { runs: 2, deliveries: 0, script_ms: 1234, mails: 0 }, by_day: [] },
  caps: {
    entities: { limit: 5, test: 3, prod: 2 },
    indexes: { limit: null, test: 0, prod: null },
    policies: { limit: null, test: 4, prod: null, workspaces: [] },
  },
  forecast: { api_calls_per_day: '2026-01-31', api_calls_per_month: null, records: null },
  windows: { day: '2026-02-01T00:00:00.000Z', month: '2026-02-01T00:00:00.000Z' },
};

const figureOf = (name: string) => planFigures(given).find((figure) => figure.name === name);

test('a figure has its use, its limit and when that is reached', () => {
  const { used, limit, outlook } = figureOf('Calls today') ?? assert.fail();
  assert.deepEqual([used, limit, outlook], [80, 100, 'At this rate the limit is reached on 2026-01-31.']);
  assert.equal(figureOf('Calls this month')?.outlook, 'Counts from 0 again on 2026-02-01.');
  assert.equal(figureOf('Calls this month')?.limit, undefined);
  assert.equal(figureOf('Records')?.outlook, '');
});

test('a limit that is reached is no forecast, and says what becomes of the app', () => {
  const limits = { api_calls_per_day: 80, api_calls_per_month: 900, records: 6, runs_per_day: 2, entities: 3 };
  const caps = { ...given.caps, entities: { limit: 3, test: 3, prod: 2 } };
  const forecast = { api_calls_per_day: '2026-01-31', api_calls_per_month: '2026-01-31', records: '2026-01-31' };
  const figures = planFigures({ ...given, plan: { ...given.plan, limits }, caps, forecast });
  const outlookOf = (name: string) => figures.find((figure) => figure.name === name)?.outlook;
  for (const name of ['Calls today', 'Calls this month'])
    assert.equal(outlookOf(name), 'The limit is reached: the app refuses writes until 2026-02-01.');
  assert.equal(outlookOf('Records'), 'The limit is reached: the app refuses writes until records are removed.');
  assert.equal(outlookOf('Runs today'), 'The limit is reached. Counts from 0 again on 2026-02-01.');
  assert.equal(outlookOf('Entities'), '3 in test, 2 in production. The plan has no room for more.');
});

test('a cap counts the fuller environment, and time of scripts is told in seconds', () => {
  assert.deepEqual([figureOf('Entities')?.used, figureOf('Entities')?.limit], [3, 5]);
  assert.equal(figureOf('Entities')?.outlook, '3 in test, 2 in production.');
  assert.equal(figureOf('Indexes')?.outlook, '0 in test.');
  assert.equal(figureOf('Policies of a workspace')?.outlook, 'The most of a workspace: 4 in test.');
  assert.equal(figureOf('Script seconds today')?.used, 1.3);
});

test('each figure has an explanation of its own', () => {
  const explained = planFigures(given).map((figure) => figure.explained);
  assert.equal(new Set(explained).size, planFigures(given).length);
});
