/** What scripts of logic blocks write by `console`, and who is shown it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from './eventually.ts';
import { act, allow, defineEntity, definition, foundedOrg, manage, type Org, random } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { deploy, prodFounder, provision } from './promotion.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, definition('order', [{ name: 'title' }, { name: 'card', colType: 'encrypted' }]));

interface Step {
  readonly id: string;
  readonly state: string;
  readonly log?: { readonly lines: readonly string[]; readonly left_out?: number };
}

interface ShownRun {
  readonly state: string;
  readonly steps: readonly Step[];
}

const say = (id: string, source: string) => ({ id, type: 'script', source });
const make = { id: 'make', type: 'create', entity: 'order', values: { title: 'one' } };

async function define(of: Org, name: string, steps: readonly object[], more: object = {}): Promise<void> {
  const body = { name, content: { name, steps, ...more } };
  const reply = await manage(of, 'POST', '/config/logicblock', { body });
  assert.equal(reply.status, 201, reply.text);
}

async function started(name: string, input: object = {}): Promise<{ readonly id: string; readonly text: string }> {
  const reply = await act<{ readonly run: string }>(founder, 'POST', `/logicblocks/${name}`, { body: input });
  assert.ok(reply.status >= 400, reply.text);
  return { id: reply.body.run, text: reply.text };
}

async function logsOf(id: string): Promise<readonly [string, string, Step['log']][]> {
  const { steps } = (await manage<ShownRun>(org, 'GET', `/runs/${id}`)).body;
  return steps.map((step) => [step.id, step.state, step.log]);
}

test('a tried block shows what its scripts wrote, also the one that failed', async () => {
  const steps = [say('first', 'console.log("read", input); return 1'), say('second', 'console.warn("so far"); null.x')];
  const body = { tenant_code: 'main', input: { n: 1 }, content: { name: 'draft', steps } };
  const reply = await manage<{ readonly steps: readonly Step[] }>(org, 'POST', '/logicblocks/test', { body });
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(
    reply.body.steps.map(({ id, log }) => [id, log]),
    [
      ['first', { lines: ['read {"n":1}'] }],
      ['second', { lines: ['so far', "Uncaught at line 1: cannot read property 'x' of null"] }],
    ],
  );
});

test('a run shows what its scripts wrote with their steps, also in a retry, and its caller is not told', async () => {
  const lines = 'for (let at = 0; at < 60; at++) console.log("line", at, "x".repeat(1000));';
  await define(org, 'says', [
    say('before', 'console.log("before")'),
    make,
    say('many', lines),
    say('silent', 'return 1'),
    say('fails', 'console.error("last words"); throw new Error("no")'),
  ]);
  const { id, text } = await started('says');
  assert.doesNotMatch(text, /last words|before|Uncaught/);
  const logs = await logsOf(id);
  const many = logs.find(([step]) => step === 'many')?.[2];
  assert.deepEqual([many?.lines.length, many?.lines[0]?.length, many?.left_out], [50, 500, 10]);
  assert.deepEqual(
    logs.filter(([step]) => step !== 'many'),
    [
      ['before', 'done', { lines: ['before'] }],
      ['make', 'done', undefined],
      ['silent', 'done', undefined],
      ['fails', 'failed', { lines: ['last words', 'Uncaught at line 1: no'] }],
    ],
  );
  const retried = await manage<{ readonly id: string }>(org, 'POST', `/runs/${id}/retry`, { body: {} });
  assert.equal(retried.status, 202, retried.text);
  const again = retried.body.id;
  await eventually(
    'the end of the run',
    async () => (await manage<ShownRun>(org, 'GET', `/runs/${again}`)).body.state === 'failed',
  );
  // Its steps are shown a moment after its end.
  await eventually('the log of a step', async () => (await logsOf(again)).some(([, , log]) => log !== undefined));
  assert.deepEqual(await logsOf(again), logs);
});

test('K08: a value that a run wrote to an encrypted field is in none of its logs', async () => {
  const canary = `canary/${random()}`;
  await define(org, 'hides', [
    say('early', 'console.log("card", input.card)'),
    { ...make, values: { title: 'one', card: '{{ input.card }}' } },
    say('late', 'console.log(input); throw new Error(input.card)'),
  ]);
  const { id } = await started('hides', { card: canary });
  assert.deepEqual(await logsOf(id), [
    ['early', 'done', { lines: ['card ***'] }],
    ['make', 'done', undefined],
    ['late', 'failed', { lines: ['{"card":"***"}', 'Uncaught at line 1: ***'] }],
  ]);
});

test('K08: a line that is cut, and a message that is, hold no part of a value of an encrypted field', async () => {
  const canary = `canary/${random()}/${'x'.repeat(600)}`;
  await define(org, 'cuts', [
    say('early', 'console.log("y".repeat(480), input.card); console.log(input)'),
    { ...make, values: { title: 'one', card: '{{ input.card }}' } },
    say('late', 'throw new Error("card " + input.card)'),
  ]);
  const { id } = await started('cuts', { card: canary });
  assert.deepEqual(
    (await logsOf(id)).map(([step, , log]) => [step, log?.lines]),
    [
      ['early', [`${'y'.repeat(480)} ***…`, '{"card":"***…']],
      ['make', undefined],
      ['late', ['Uncaught at line 1: card ***…']],
    ],
  );
});

test('K08: in production no line is kept, and none is shown', async () => {
  const { org: shop } = await foundedOrg(gateways);
  await defineEntity(shop, definition('order', [{ name: 'title' }]));
  await define(shop, 'says', [say('says', 'console.log("canary")'), make], {
    run_as: 'app',
    policies: [allow('createorder', '/create/order')],
  });
  await provision(shop);
  await deploy(shop);
  const customer = await prodFounder(shop);
  assert.equal((await act(customer, 'POST', '/logicblocks/says')).status, 200);
  const { items } = (await manage<{ readonly items: readonly { id: string }[] }>(shop, 'GET', '/runs?env=prod')).body;
  assert.equal(items.length, 1);
  const shown = await manage<ShownRun>(shop, 'GET', `/runs/${items[0]?.id}?env=prod`);
  assert.deepEqual(
    shown.body.steps.map(({ id, state }) => [id, state]),
    [
      ['says', 'done'],
      ['make', 'done'],
    ],
  );
  assert.doesNotMatch(shown.text, /canary|log/);
});
