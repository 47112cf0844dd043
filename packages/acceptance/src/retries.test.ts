/** Runs that are begun again from a step that their builder names. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { documentedManagement } from './documented-gateway.ts';
import { eventually } from './eventually.ts';
import { act, create, defineEntity, definition, foundedOrg, manage, random } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const fields = [
  { name: 'title', index: true },
  { name: 'amount', colType: 'number' },
];
await defineEntity(org, definition('order', fields));

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly tenant_code: string;
  readonly retried_as?: string;
  readonly steps: readonly { readonly id: string; readonly path: string }[];
}

async function block(name: string, steps: readonly object[]): Promise<void> {
  const reply = await manage(org, 'POST', '/config/logicblock', { body: { name, content: { name, steps } } });
  assert.equal(reply.status, 201, reply.text);
}

/** The id of a run of a block that fails. */
async function failedRun(name: string, input: object): Promise<string> {
  return (await act<{ readonly run: string }>(founder, 'POST', `/logicblocks/${name}`, { body: input })).body.run;
}

function retry(id: string, body: object) {
  return manage<{ readonly id: string }>(org, 'POST', `/runs/${id}/retry`, { body });
}

async function ended(id: string): Promise<Shown> {
  return eventually('the end of the run', async () => {
    const { status, body, text } = await manage<Shown>(org, 'GET', `/runs/${id}`);
    assert.equal(status, 200, text);
    return body.state !== 'running' && body.state !== 'waiting' && body;
  });
}

async function amounts(title: string): Promise<readonly number[]> {
  const path = `/list/order?title=${title}`;
  const { items } = (await act<{ items: readonly { amount: number }[] }>(founder, 'GET', path)).body;
  return items.map(({ amount }) => amount).toSorted((left, right) => left - right);
}

const make = (id: string, amount: unknown) => ({
  ...{ id, type: 'create', entity: 'order' },
  values: { title: '{{ input.title }}', amount },
});
const no = { id: 'no', type: 'raise', status: 409, code: 'no', message: 'no' };

test('a retry from a step does that step and all behind it again, and none before it', async () => {
  await block('three', [make('one', 1), make('two', 2), make('three', 3), no]);
  const title = random();
  const first = await failedRun('three', { title });
  const { send } = await documentedManagement(org);
  const { token } = org.builder;
  const retried = await send<{ readonly id: string }>('retryRun', {
    token,
    path: { id: first },
    body: { from: 'two' },
  });
  assert.equal(retried.status, 202, retried.text);
  const second = await ended(retried.body.id);
  assert.deepEqual([second.state, await amounts(title)], ['failed', [1, 2, 2, 3, 3]]);
  const shown = await send<Shown>('readRun', { token, path: { id: first } });
  assert.equal(shown.body.retried_as, second.id);
  // Without a step it goes on where it failed.
  const third = await retry(second.id, {});
  assert.equal((await ended(third.body.id)).state, 'failed');
  assert.deepEqual(await amounts(title), [1, 2, 2, 3, 3]);
});

test('a retry may begin in a pass of a loop, by the path of a step', async () => {
  const each = { id: 'each', type: 'loop', over: '{{ input.list }}', max: 5 };
  await block('passes', [{ ...each, steps: [make('one', '{{ steps.each.index }}')] }, no]);
  const title = random();
  const first = await failedRun('passes', { title, list: ['a', 'b', 'c'] });
  const paths = (await ended(first)).steps.map(({ path }) => path);
  assert.deepEqual(paths, ['0000.0000.0000', '0000.0001.0000', '0000.0002.0000']);
  const { body } = await retry(first, { from: '0000.0001.0000' });
  await ended(body.id);
  assert.deepEqual(await amounts(title), [0, 1, 1, 2, 2]);
});

test('a retry from a step that is not there, or that deleted its record, is refused and does nothing', async () => {
  const gone = { id: 'gone', type: 'delete', entity: 'order', record: '{{ input.record }}' };
  await block('gone', [gone, make('made', 1), no]);
  const record = await create(founder, 'order', { title: 'gone' });
  const title = random();
  const id = await failedRun('gone', { title, record: record.id });
  for (const from of ['none', 'no', '0009', '', '../x', '0000.0000'])
    assert.deepEqual(pointers(assertProblem(await retry(id, { from }), 'validation_failed')), ['/from'], from);
  assertProblem(await retry(id, { from: 'x'.repeat(301) }), 'validation_failed');
  assertProblem(await retry(id, { from: 1 }), 'validation_failed');
  assertProblem(await retry(id, { from_step: 'made' }), 'unknown_field');
  for (const from of ['gone', '0000'])
    assert.match(assertProblem(await retry(id, { from }), 'conflict').detail, /`gone` deleted its record/);
  assert.equal((await ended(id)).retried_as, undefined);
  const { status, body, text } = await retry(id, { from: 'made' });
  assert.equal(status, 202, text);
  await ended(body.id);
  assert.deepEqual(await amounts(title), [1, 1]);
});

test('runs are listed by their workspace', async () => {
  await block('placed', [make('one', 1), no]);
  const { tenant_code } = await ended(await failedRun('placed', { title: random() }));
  const listed = async (query: string, of = org) =>
    (await manage<{ items: readonly Shown[] }>(of, 'GET', `/runs?block=placed${query}`)).body.items;
  assert.equal((await listed(`&tenant_code=${tenant_code}`)).length, 1);
  assert.deepEqual(await listed('&tenant_code=none'), []);
  const other = await foundedOrg(gateways);
  assert.deepEqual(await listed(`&tenant_code=${tenant_code}`, other.org), []);
  const first = await manage<{ nexttoken: string }>(org, 'GET', `/runs?tenant_code=${tenant_code}&pagesize=1`);
  assertProblem(await manage(org, 'GET', `/runs?nexttoken=${first.body.nexttoken}`), 'invalid_cursor');
  assertProblem(await manage(org, 'GET', `/runs?tenant_code=${'x'.repeat(64)}`), 'invalid_request');
});
