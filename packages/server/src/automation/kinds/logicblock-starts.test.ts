import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LogicBlockContent, logicBlockKind } from './logicblock.ts';

const schedule = { cron: '0 9 * * 1-5', timezone: 'Europe/Berlin', missed: 'skip' };
const policies = [{ Effect: 'Allow', Action: ['getorder'], Resource: ['/item/order/*'] }];
const plain = { name: 'a', steps: [{ id: 'one', type: 'set', values: {} }] };
const app = { ...plain, run_as: 'app', policies };

function errorsOf(content: object): readonly string[] {
  const parsed = logicBlockKind.parse('a', content);
  return 'errors' in parsed ? parsed.errors.map(({ code, pointer }) => `${code} ${pointer}`) : [];
}

function widened(before: object, after: object): readonly string[] {
  const [was, is] = [before, after].map((content) => {
    const parsed = logicBlockKind.parse('a', content);
    return 'content' in parsed ? parsed.content : assert.fail(JSON.stringify(parsed));
  });
  return logicBlockKind.widening({ name: 'a', before: was, after: is });
}

test('a schedule is of a block with policies of its own, comes at some time, and fits the input', () => {
  assert.deepEqual(errorsOf({ ...app, schedule }), []);
  assert.deepEqual(errorsOf({ ...plain, schedule }), ['contradiction /schedule']);
  assert.deepEqual(errorsOf({ ...plain, run_as: 'caller', schedule }), ['contradiction /schedule']);
  for (const cron of ['* * * * * *', '0 0 30 2 *', '@hourly'])
    assert.deepEqual(errorsOf({ ...app, schedule: { ...schedule, cron } }), ['invalid_cron /schedule/cron']);
  const elsewhere = { ...schedule, timezone: 'Europe/Atlantis' };
  assert.deepEqual(errorsOf({ ...app, schedule: elsewhere }), ['invalid_timezone /schedule/timezone']);
  const input_schema = { type: 'object', required: ['day'], properties: { day: { type: 'string' } } };
  assert.deepEqual(errorsOf({ ...app, schedule, input_schema }), ['contradiction /schedule']);
  assert.deepEqual(errorsOf({ ...app, schedule, input_schema: { type: 'object' } }), []);
  for (const wrong of [
    { ...schedule, missed: 'all' },
    { ...schedule, workspaces: 'none' },
    { ...schedule, at: 1 },
    '@daily',
  ])
    assert.equal(errorsOf({ ...app, schedule: wrong }).length, 1, JSON.stringify(wrong));
});

test('a publication shows what begins to run by itself, at other times, or in further workspaces', () => {
  const runs = 'it runs by itself: `0 9 * * 1-5` in `Europe/Berlin`';
  assert.deepEqual(widened(app, { ...app, schedule }), [runs]);
  assert.deepEqual(widened({ ...app, schedule: { ...schedule, cron: '0 * * * *' } }, { ...app, schedule }), [runs]);
  assert.deepEqual(widened({ ...app, schedule }, { ...app, schedule: { ...schedule, workspaces: 'all' } }), [
    'it runs by itself in all workspaces',
  ]);
  assert.deepEqual(widened({ ...app, schedule }, { ...app, schedule: { ...schedule, missed: 'once' } }), [
    'it makes up for times that it missed',
  ]);
  assert.deepEqual(widened({ ...app, schedule: { ...schedule, workspaces: 'all' } }, { ...app, schedule }), []);
  assert.deepEqual(widened({ ...app, schedule }, app), []);
});

test('at most 50 blocks of an org have a schedule in test, and an org with more may change all else', () => {
  const scheduled = { ...app, schedule } as LogicBlockContent;
  const refuse = (wanted: readonly object[], count: number, env: 'test' | 'prod' = 'test'): void =>
    logicBlockKind.refuseTooMany?.({
      env,
      before: [],
      after: Array.from({ length: count }, () => scheduled),
      wanted: wanted as readonly LogicBlockContent[],
    });
  refuse([scheduled], 50);
  assert.throws(() => refuse([scheduled], 51), { code: 'conflict' });
  refuse([app], 51);
  refuse([], 51);
  refuse([scheduled], 51, 'prod');
});
