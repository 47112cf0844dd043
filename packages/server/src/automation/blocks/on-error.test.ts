/** Tests blocks whose steps are refused and catch their errors. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import { blockFailure, Uncaught } from './block-failure.ts';
import type { CompiledBlock, Effects, EntityStep } from './block-run.ts';
import { interpret } from './interpret.ts';
import { compileBlock } from './stored-blocks.ts';

const start = { event: {}, user: {}, tenant: {}, input: {}, env: 'test', now: 0 };

type Content = Parameters<typeof compileBlock>[0];
type Step = Content['steps'][number];
type OnError = NonNullable<Step['on_error']>;

function compiled(steps: readonly Step[], returns?: unknown): Promise<CompiledBlock> {
  const content = { name: 'block', steps, ...(returns === undefined ? {} : { returns }) };
  return compileBlock(content, { entities: () => undefined, pause: () => undefined });
}

interface RecordedEffects extends Effects {
  readonly read: string[];
  readonly refusals: string[];
  failedPasses: number;
}

/** Records by their ids, of which those that begin with `no` are not there. */
function effects(blocks: Readonly<Record<string, CompiledBlock>> = {}): RecordedEffects {
  const request: RecordedEffects = {
    ...{ read: [], refusals: [], failedPasses: 0 },
    entity: async (path: string, step: EntityStep) => {
      const record = 'record' in step ? step.record : '';
      request.read.push(`${path} ${record}`);
      if (record.startsWith('no')) throw new Problem('not_found', 'there is nothing here');
      if (record === 'busy') throw new Problem('rate_limited', 'too many wait');
      if (record === 'away') throw new Problem('unavailable', 'later');
      return { id: record };
    },
    script: () => assert.fail('no script is run'),
    block: async (name) => blocks[name] ?? Promise.reject(blockFailure(`there is no logic block \`${name}\``)),
    wait: () => assert.fail('nothing waits'),
    http: async () => ({ refusal: blockFailure('no answer within 20 s'), milliseconds: 20_000 }),
    mail: () => assert.fail('no mail is sent'),
    pause: () => undefined,
    refused: (path, { id, type }, { code }) => void request.refusals.push(`${path} ${id} ${type} ${code}`),
    passFailed: () => {
      request.failedPasses += 1;
    },
  };
  return request;
}

const get = (id: string, record: string, onError?: OnError): Step => ({
  ...{ id, type: 'get', entity: 'order', record },
  ...(onError === undefined ? {} : { on_error: onError }),
});
const set = (id: string, value: unknown): Step => ({ id, type: 'transform', value });

async function run(steps: readonly Step[], returns: unknown, blocks?: Readonly<Record<string, CompiledBlock>>) {
  const recorded = effects(blocks);
  return { value: await interpret(await compiled(steps, returns), start, recorded), recorded };
}

test('a step that is refused goes on at the next step, at a later one, or at the next one behind other steps', async () => {
  const { value, recorded } = await run(
    [
      get('a', 'none', 'continue'),
      get('b', 'none', { goto: 'd' }),
      get('c', 'some'),
      get('d', 'none', { steps: [get('other', 'some'), set('e', '{{ errors.d.code }} {{ steps.other.id }}')] }),
      get('f', 'some', 'continue'),
    ],
    ['{{ steps.a }}', '{{ errors.a }}', '{{ steps.c }}', '{{ steps.d }}', '{{ steps.f.id }}', '{{ errors.f }}'],
  );
  const refusal = { status: 404, code: 'not_found', message: 'there is nothing here' };
  assert.deepEqual(value, [null, refusal, null, 'not_found some', 'some', null]);
  assert.deepEqual(recorded.read, ['0000 none', '0001 none', '0003 none', '0003.e.0000 some', '0004 some']);
  assert.deepEqual([...recorded.read].sort(), recorded.read);
  assert.deepEqual(
    recorded.refusals,
    [0, 1, 3].map((at) => `000${at} ${'abcd'[at]} get not_found`),
  );
});

test('a loop goes on past a pass that failed, and says how many did; its item is null, or what the other steps gave', async () => {
  const over = ['one', 'no 1', 'two', 'no 2'];
  const loop = (onError?: OnError): Step => ({
    ...{ id: 'each', type: 'loop', over, max: 10 },
    steps: [get('read', '{{ steps.each.item }}'), set('id', '{{ steps.read.id }}')],
    ...(onError === undefined ? {} : { on_error: onError }),
  });
  const gone = await run([loop('continue')], ['{{ steps.each }}', '{{ errors.each.message }}']);
  const items = ['one', null, 'two', null];
  assert.deepEqual(gone.value, [{ items, count: 4, failed: 2 }, 'there is nothing here']);
  assert.equal(gone.recorded.failedPasses, 2);
  assert.deepEqual(gone.recorded.refusals, ['0000.0001.0000 read get not_found', '0000.0003.0000 read get not_found']);

  const reported = { steps: [set('why', '{{ steps.each.item }}, {{ steps.each.index }}: {{ errors.each.code }}')] };
  const handled = await run([loop(reported)], '{{ steps.each.items }}');
  assert.deepEqual(handled.value, ['one', 'no 1, 1: not_found', 'two', 'no 2, 3: not_found']);

  const left = await run(
    [loop({ goto: 'end' }), set('skipped', 1), set('end', 2)],
    [...['{{ steps.each }}', '{{ steps.skipped }}', '{{ steps.end }}', '{{ errors.each.status }}']],
  );
  assert.deepEqual(left.value, [null, null, 2, 404]);
  assert.deepEqual(
    [left.recorded.read, left.recorded.failedPasses],
    [['0000.0000.0000 one', '0000.0001.0000 no 1'], 1],
  );
  // Without `on_error` a loop is what it was.
  await assert.rejects(run([loop()], null), { code: 'not_found', details: { step: 'read' } });
  assert.deepEqual((await run([{ ...loop(), over: ['one'] } as Step], '{{ steps.each }}')).value, {
    ...{ items: ['one'], count: 1 },
  });
});

test('a loop that cannot begin is refused as any step', async () => {
  const each = { id: 'each', type: 'loop', over: '{{ input.none }}', max: 1, steps: [set('in', 1)] } as const;
  const handler = { steps: [set('why', '{{ errors.each.message }}')] };
  const { value, recorded } = await run([{ ...each, on_error: handler }], '{{ steps.each }}');
  assert.equal(value, 'a loop goes over a list, and this is none');
  assert.deepEqual([recorded.failedPasses, recorded.refusals], [0, ['0000 each loop block_failed']]);
});

test('what the steps after an error are refused with is not caught by it', async () => {
  const handler = { steps: [get('again', 'none')] };
  await assert.rejects(run([get('a', 'none', handler)], null), { code: 'not_found', details: { step: 'again' } });
  const each = { id: 'each', type: 'loop', over: [1], max: 1, steps: [get('a', 'none')], on_error: handler } as const;
  await assert.rejects(run([each], null), { details: { step: 'again' } });
});

test('a pass knows nothing of the errors and values of an earlier one', async () => {
  const steps = [
    get('read', '{{ steps.each.item }}', 'continue'),
    set('saw', ['{{ steps.read.id }}', '{{ errors.read.code }}']),
  ];
  const { value } = await run(
    [{ id: 'each', type: 'loop', over: ['no', 'a', 'no', 'b'], max: 9, steps }],
    '{{ steps.each.items }}',
  );
  assert.deepEqual(value, [
    [null, 'not_found'],
    ['a', null],
    [null, 'not_found'],
    ['b', null],
  ]);
  const skipping = [
    { id: 'is_read', type: 'condition', if: 'steps.each.index == 0', else: 'saw' },
    get('other', 'none', 'continue'),
    set('saw', '{{ errors.other.code }}'),
  ] as const;
  const skipped = await run(
    [{ id: 'each', type: 'loop', over: [1, 2], max: 9, steps: skipping }],
    '{{ steps.each.items }}',
  );
  assert.deepEqual(skipped.value, ['not_found', null]);
});

test('branches keep their errors to themselves until all have come to their end', async () => {
  const branches = [
    [get('a', 'none', 'continue'), set('a_saw', '{{ errors.a.code }}')],
    [get('b', 'some'), set('b_saw', '{{ errors.a.code }}')],
  ];
  const { value } = await run(
    [{ id: 'both', type: 'parallel', branches }],
    ['{{ steps.both }}', '{{ errors.a.code }}'],
  );
  assert.deepEqual(value, [['not_found', null], 'not_found']);
  const refused = [[get('a', 'none')], [get('b', 'some')]];
  const caught = await run(
    [{ id: 'both', type: 'parallel', branches: refused, on_error: 'continue' }],
    [...['{{ steps.both }}', '{{ steps.b.id }}', '{{ errors.both.code }}']],
  );
  assert.deepEqual(caught.value, [null, 'some', 'not_found']);
  assert.deepEqual(caught.recorded.refusals, ['0000.0000.0000 a get not_found']);
});

test('what a block raises ends it, and is a refusal like any to the block that called it', async () => {
  const raise = { id: 'stop', type: 'raise', status: 409, code: 'taken', message: 'it is taken' } as const;
  const each = { id: 'each', type: 'loop', over: [1], max: 1, steps: [raise], on_error: 'continue' } as const;
  await assert.rejects(run([each], null), {
    code: 'conflict',
    details: { step: 'stop', errors: [{ pointer: '', code: 'taken', message: 'it is taken' }] },
  });
  const call = { id: 'go', type: 'call', logicblock: 'inner', on_error: 'continue' } as const;
  const { value } = await run([call], '{{ errors.go }}', { inner: await compiled([each]) });
  assert.deepEqual(value, { status: 409, code: 'taken', message: 'it is taken' });
});

test('limits of the run, 429 and 503 are not caught, wherever they are met', async () => {
  const around = (step: Step): Step => ({
    id: 'each',
    type: 'loop',
    over: [1],
    max: 1,
    steps: [step],
    on_error: 'continue',
  });
  for (const record of ['busy', 'away'])
    await assert.rejects(run([around(get('a', record, 'continue'))], null), {
      code: record === 'busy' ? 'rate_limited' : 'unavailable',
    });
  const many = {
    id: 'many',
    type: 'loop',
    over: Array(101).fill('none'),
    max: 1000,
    steps: [get('a', 'none', 'continue')],
    on_error: 'continue',
  } as const;
  await assert.rejects(run([many], null), { message: 'a run does at most 100 steps on records' });
  const callsItself = await compiled([{ id: 'again', type: 'call', logicblock: 'inner', on_error: 'continue' }]);
  await assert.rejects(run([around({ id: 'go', type: 'call', logicblock: 'inner' })], null, { inner: callsItself }), {
    message: /call each other more than 8 deep/,
  });
  // A block that is not there now may be there when the run is taken up again.
  const missing = { id: 'go', type: 'call', logicblock: 'other', on_error: 'continue' } as const;
  await assert.rejects(run([missing], null), { message: 'there is no logic block `other`' });
  const endless = 'input.list.all(a, string(a) != "x") && '.repeat(20);
  const list = Array.from({ length: 4000 }, (_, at) => at);
  const costly = { id: 'a', type: 'transform', value: `{{ ${endless} true }}`, on_error: 'continue' } as const;
  const block = await compiled([costly]);
  await assert.rejects(interpret(block, { ...start, input: { list } }, effects()), {
    message: 'an expression takes too much',
  });
});

test('calls that were not answered count towards the time of the run', async () => {
  const call = { id: 'call', type: 'http', method: 'GET', url: 'https://a.example', on_error: 'continue' } as const;
  const each = { id: 'each', type: 'loop', over: Array(9).fill(1), max: 9, steps: [call] } as const;
  await assert.rejects(run([each], null), { message: 'a run waits for other systems for at most 60000 ms' });
});

test('the end of the time before a write is not caught', async () => {
  const recorded = effects();
  let pauses = 0;
  const ending = {
    ...recorded,
    pause: () => (++pauses > 3 ? Promise.reject(new Uncaught(blockFailure('over'), 'run')) : undefined),
  };
  const each = {
    id: 'each',
    type: 'loop',
    over: [1, 2, 3, 4, 5],
    max: 9,
    steps: [set('a', 1)],
    on_error: 'continue',
  } as const;
  await assert.rejects(interpret(await compiled([each]), start, ending), { message: 'over' });
});

test('an expression of a block without `on_error` may name a step that is called `errors`', async () => {
  const { value } = await run([set('errors', { n: 1 })], '{{ errors.n }}');
  assert.equal(value, 1);
});
