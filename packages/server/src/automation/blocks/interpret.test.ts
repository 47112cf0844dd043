import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../../lib/problem.ts';
import { thinned } from '../../store/testing/quick.ts';
import { charactersOf } from './block-failure.ts';
import type { CompiledBlock, Effects, EntityStep } from './block-run.ts';
import { interpret } from './interpret.ts';
import { compileBlock } from './stored-blocks.ts';

const start = { event: {}, user: {}, tenant: {}, input: {}, env: 'test', now: 0 };

type Content = Parameters<typeof compileBlock>[0];

async function compiled(steps: Content['steps'], more: Partial<Content> = {}): Promise<CompiledBlock> {
  return compileBlock({ name: 'block', steps, ...more }, { entities: () => undefined, pause: () => undefined });
}

/** Effects that keep what they were asked. */
function effects(blocks: Readonly<Record<string, CompiledBlock>> = {}): Effects & { readonly requests: string[] } {
  const requests: string[] = [];
  return {
    requests,
    entity: async (path: string, step: EntityStep) => {
      requests.push(
        `${path} ${step.type} ${'parameters' in step ? [...step.parameters].join(' ') : 'record' in step ? step.record : ''}`,
      );
      return { step: step.id };
    },
    script: async (path, { source, args }) => {
      requests.push(`${path} script ${source} ${args}`);
      return { value: JSON.parse(args), cpuMilliseconds: 300 };
    },
    block: async (name) => blocks[name] ?? assert.fail(`there is no block ${name}`),
    wait: () => assert.fail('nothing waits'),
    http: () => assert.fail('nothing is called'),
    mail: () => assert.fail('no mail is sent'),
    pause: () => undefined,
  };
}

test('each effect has a path of its own, and paths sort in the order in which steps are done', async () => {
  const get = { id: 'read', type: 'get', entity: 'order', record: '{{ input.id }}' } as const;
  const inner = await compiled([get]);
  const block = await compiled([
    { id: 'list', type: 'list', entity: 'order', filters: [{ field: 'n', op: 'between', value: [1, 2] }], pagesize: 3 },
    {
      id: 'each',
      type: 'loop',
      over: ['a', 'b'],
      max: 2,
      steps: [
        { id: 'first', type: 'get', entity: 'order', record: '{{ steps.each.item }}' },
        {
          id: 'kind',
          type: 'switch',
          on: '{{ steps.each.index }}',
          cases: [{ is: 0, steps: [{ id: 'zero', type: 'get', entity: 'order', record: 'zero' }] }],
          default: [{ id: 'go', type: 'call', logicblock: 'inner', input: { id: 'called' } }],
        },
      ],
    },
  ]);
  const recorded = effects({ inner });
  await interpret(block, start, recorded);
  assert.deepEqual(recorded.requests, [
    '0000 list n,1,2 n_op,between pagesize,3',
    '0001.0000.0000 get a',
    '0001.0000.0001.0000.0000 get zero',
    '0001.0001.0000 get b',
    '0001.0001.0001.0001.0000.0000 get called',
  ]);
  assert.deepEqual([...recorded.requests].sort(), recorded.requests);
});

/** A list of steps of these kinds, in the plainest form. */
type Plan = readonly (
  | { readonly kind: 'set' }
  | { readonly kind: 'skip'; readonly holds: boolean; readonly by: number }
)[];

function expected(plan: Plan): readonly string[] {
  const done: string[] = [];
  for (let at = 0; at < plan.length; ) {
    const step = plan[at];
    done.push(`s${at}`);
    at += step?.kind === 'skip' && !step.holds ? (at + step.by < plan.length ? step.by : plan.length) : 1;
  }
  return done;
}

test('conditions lead to the steps that they name, or to the end', async () => {
  const plan = fc.array(
    fc.oneof(
      fc.constant({ kind: 'set' } as const),
      fc.record({ kind: fc.constant('skip' as const), holds: fc.boolean(), by: fc.integer({ min: 1, max: 6 }) }),
    ),
    { minLength: 1, maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(plan, async (steps) => {
      const content = steps.map((step, at): Content['steps'][number] => {
        if (step.kind === 'set') return { id: `s${at}`, type: 'set', values: {} };
        const later = at + step.by < steps.length ? { else: `s${at + step.by}` } : {};
        return { id: `s${at}`, type: 'condition', if: String(step.holds), ...later };
      });
      const names = steps.map((_, at) => `{{ steps.s${at} }}`);
      const returns = await interpret(await compiled(content, { returns: names }), start, effects());
      const done = (returns as readonly unknown[]).flatMap((value, at) => (value === null ? [] : [`s${at}`]));
      assert.deepEqual(done, expected(steps));
    }),
    { numRuns: thinned(300) },
  );
});

test('a value that names another one many times is counted as it would be written, and no further than it may be', () => {
  const text = 'a'.repeat(1000);
  const nested = Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => ({ text })));
  assert.ok(charactersOf(nested, Number.POSITIVE_INFINITY) > 10_000_000);
  const some = charactersOf(nested, 5000);
  assert.ok(some > 5000 && some < 10_000, String(some));
});

test('a value of too many levels ends the run, also one that steps made level by level', async () => {
  const wrapped = (from: string): unknown => ({ a: { b: { c: { d: { e: { f: { g: from } } } } } } });
  const steps = Array.from({ length: 5 }, (_, at) => {
    const value = wrapped(at === 0 ? 'x' : `{{ steps.s${at - 1} }}`);
    return { id: `s${at}`, type: 'transform', value } as Content['steps'][number];
  });
  const run = async (count: number): Promise<unknown> =>
    interpret(await compiled(steps.slice(0, count)), start, effects());
  assert.equal(await run(4), null);
  await assert.rejects(run(5), {
    code: 'block_failed',
    message: 'a run makes values of at most 32 levels of objects and lists',
  });
});

test('branches are done beside each other, see nothing of one another, and all come to their end', async () => {
  const read = (id: string, record: string) => ({ id, type: 'get', entity: 'order', record }) as const;
  const branches = [
    [read('a', 'one')],
    [
      read('b', 'two'),
      read('c', '{{ steps.before.of }}'),
      { id: 'd', type: 'transform', value: '{{ has(steps.a.step) }}' } as const,
    ],
  ];
  const block = await compiled(
    [
      { id: 'before', type: 'set', values: { of: 'three' } },
      { id: 'both', type: 'parallel', branches },
      { id: 'after', type: 'transform', value: '{{ steps.c.step }}' },
    ],
    { returns: ['{{ steps.both }}', '{{ steps.after }}'] },
  );
  const recorded = effects();
  assert.deepEqual(await interpret(block, start, recorded), [[{ step: 'a' }, false], 'c']);
  assert.deepEqual(recorded.requests, ['0001.0000.0000 get one', '0001.0001.0000 get two', '0001.0001.0001 get three']);

  const failing = {
    ...recorded,
    entity: async (path: string) => {
      recorded.requests.push(path);
      if (path === '0001.0000.0000') throw new Problem('not_found', 'there is nothing here');
      return { step: path };
    },
  };
  recorded.requests.length = 0;
  await assert.rejects(interpret(block, start, failing), { code: 'not_found', details: { step: 'a' } });
  assert.deepEqual(recorded.requests, ['0001.0000.0000', '0001.0001.0000', '0001.0001.0001']);
});

test('a script reads the input, the steps before it and the user, by its place in the run, and gives its value', async () => {
  const block = await compiled(
    [
      { id: 'one', type: 'transform', value: '{{ input.a }}' },
      { id: 'read', type: 'script', source: 'return input' },
      { id: 'two', type: 'transform', value: '{{ steps.read[1].one }}' },
    ],
    { returns: '{{ steps.two }}' },
  );
  const recorded = effects();
  assert.equal(await interpret(block, { ...start, input: { a: 5 }, user: { id: 'u' } }, recorded), 5);
  assert.deepEqual(recorded.requests, ['0001 script return input [{"a":5},{"one":5},null,{"id":"u"}]']);
});

test('the scripts of a run have a bound together, in time and in what they read', async () => {
  const script = { id: 'read', type: 'script', source: 'return 1' } as const;
  const each = { id: 'each', type: 'loop', over: [1, 2, 3, 4, 5, 6, 7], max: 7, steps: [script] } as const;
  const problem = { code: 'block_failed', details: { step: 'read' } };
  await assert.rejects(interpret(await compiled([each]), start, effects()), {
    ...problem,
    message: 'a run has scripts work for at most 2000 ms',
  });
  const input = { text: 'a'.repeat(2_200_000) };
  await assert.rejects(interpret(await compiled([script]), { ...start, input }, effects()), {
    ...problem,
    message: /^a run makes values of at most/,
  });
});
