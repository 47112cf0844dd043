/** Scripts of logic blocks: they compute, within bounds, and reach nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { type AppUser, act, foundedOrg, manage, type Org } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { deploy, provisionedOrg, publish, staged } from './promotion.ts';

const gateways = await platformForTests();
const first = await foundedOrg(gateways);
const second = await foundedOrg(gateways);

function define(org: Org, name: string, steps: readonly object[], returns?: unknown) {
  const body = { name, content: { name, steps, ...(returns === undefined ? {} : { returns }) } };
  return manage(org, 'POST', '/config/logicblock', { body });
}

/** A block of one script, and what a call of it is answered. */
async function script(
  { org, founder }: { org: Org; founder: AppUser },
  name: string,
  source: string,
  input: object = {},
) {
  const defined = await define(org, name, [{ id: 'run', type: 'script', source }], '{{ steps.run }}');
  assert.equal(defined.status, 201, defined.text);
  return act<unknown>(founder, 'POST', `/logicblocks/${name}`, { body: input });
}

test('a script reads the input, earlier steps and the user, and what it returns is the value of its step', async () => {
  const { org, founder } = first;
  const steps = [
    { id: 'start', type: 'set', values: { factor: 2 } },
    {
      id: 'lines',
      type: 'script',
      source: `// Sums of lines, by {{ what }} they are called.
const sums = new Map();
for (const { name, amount } of input.lines) sums.set(name, (sums.get(name) ?? 0) + amount * steps.start.factor);
return { sums: Object.fromEntries(sums), user, record, today: new Date(Date.now()).toISOString() };`,
    },
    { id: 'sum', type: 'transform', value: '{{ steps.lines.sums.a + 1.0 }}' },
  ];
  assert.equal((await define(org, 'sums', steps, { sum: '{{ steps.sum }}', all: '{{ steps.lines }}' })).status, 201);
  const lines = [
    ...[
      { name: 'a', amount: 1 },
      { name: 'b', amount: 2 },
    ],
    { name: 'a', amount: 3 },
  ];
  const { status, body, text } = await act<{ sum: number; all: Record<string, unknown> }>(
    founder,
    'POST',
    '/logicblocks/sums',
    {
      body: { lines },
    },
  );
  assert.equal(status, 200, text);
  const { today, user, ...all } = body.all;
  assert.deepEqual([body.sum, all], [9, { sums: { a: 8, b: 4 }, record: null }]);
  assert.equal((user as { readonly id: string }).id, founder.id);
  assert.match(String(today), /^20\d\d-/);
});

test('a script that does not parse is refused with its place, and a longer one than 16 KB', async () => {
  for (const [source, code] of [
    ['return {', 'invalid_script'],
    ['}), (function () {', 'invalid_script'],
    ['x'.repeat(16 * 1024 + 1), 'too_long'],
  ] as const) {
    const refused = await define(first.org, 'wrong', [{ id: 'run', type: 'script', source }]);
    const problem = assertProblem(refused, 'validation_failed');
    assert.deepEqual(pointers(problem), ['/content/steps/0/source']);
    assert.equal(problem.errors?.[0]?.code, code);
  }
});

test('a change of a script is named before it goes to production', async () => {
  const org = await provisionedOrg(gateways);
  assert.equal((await define(org, 'change', [{ id: 'run', type: 'script', source: 'return 1' }])).status, 201);
  await deploy(org);
  const content = { name: 'change', steps: [{ id: 'run', type: 'script', source: 'return 2' }] };
  assert.equal((await manage(org, 'PUT', '/config/logicblock/change', { body: content })).status, 200);
  await publish(org);
  assert.match(JSON.stringify((await staged(org)).checks), /another script is run in the step `run`/);
});

test('an endless script and a memory bomb end by themselves, and the scripts of others run meanwhile', async () => {
  const endless = script(first, 'endless', 'for (;;);');
  const bomb = script(first, 'bomb', 'const a = []; for (;;) a.push(new Uint8Array(1e6))');
  const others = await Promise.all(
    Array.from({ length: 5 }, (_, index) => script(second, `quick${index}`, 'return input.n + 1', { n: index })),
  );
  assert.deepEqual(
    others.map(({ status, body }) => [status, body]),
    [0, 1, 2, 3, 4].map((index) => [200, index + 1]),
  );
  assert.equal(assertProblem(await endless, 'block_failed').detail, 'the script took more than 500 ms');
  assert.equal(assertProblem(await bomb, 'block_failed').detail, 'the script took more than 32 MB of memory');
  const large = await script(first, 'large', 'return "x".repeat(300000)');
  assert.equal(assertProblem(large, 'block_failed').detail, 'a script returns at most 262144 characters of JSON');
});

test('L02, K08: what a script throws is answered by its line, without its text, a stack or a path', async () => {
  const canary = 'canary-1f0e9c';
  for (const [index, source] of [
    `\nthrow new Error(input.secret)`,
    `\nthrow Object.assign(new Error(input.secret), { cause: input.secret, code: input.secret })`,
    `\nreturn Promise.reject(new AggregateError([new Error(input.secret)], input.secret))`,
    `\nreturn { toJSON() { throw new TypeError(input.secret) } }`,
  ].entries()) {
    const reply = await script(first, `throws${index}`, source, { secret: canary });
    const problem = assertProblem(reply, 'block_failed');
    assert.equal(problem.detail, 'the script failed at line 2');
    assert.ok(!reply.text.includes(canary), reply.text);
  }
});

test('what a script returns is held to the rules of a body', async () => {
  for (const [index, source] of [
    'return JSON.parse(`{"__proto__": {"a": 1}}`)',
    'return "\\u0000"',
    'return 2 ** 60',
    'let a = []; for (let i = 0; i < 40; i++) a = [a]; return a',
  ].entries()) {
    const reply = await script(first, `strict${index}`, source);
    assert.equal(assertProblem(reply, 'block_failed').detail, 'the script returned what no body of a request may hold');
  }
});

test('L05: a script finds nothing of the scripts of others that ran before it', async () => {
  const poison =
    'globalThis.left = input.secret; Object.prototype.left = input.secret; Array.prototype.map = () => input.secret; JSON.stringify = () => input.secret; return 1';
  const look =
    'return [typeof left, ({}).left ?? null, [1].map((n) => n + 1), Object.getOwnPropertyNames(globalThis).length, Math.random() < 1]';
  const before = await script(second, 'look0', look);
  for (const index of [1, 2, 3]) {
    await Promise.all([1, 2].map((thread) => script(first, `poison${index}${thread}`, poison, { secret: 'canary' })));
    const after = await script(second, `look${index}`, look);
    assert.deepEqual(after.body, before.body);
  }
});
