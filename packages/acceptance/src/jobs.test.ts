/** Deletes that reach more records than one commit takes go on as jobs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import { eventually } from './eventually.ts';
import {
  type AppUser,
  act,
  allow,
  appUrl,
  count,
  create,
  defineEntity,
  definition,
  foundedOrg,
  list,
  memberWith,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { founderOf, multiOrg } from './workspaces.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const noId = '01890000-0000-7000-8000-000000000000';

const lookup = (name: string, entity: string, onDelete: string) => ({
  name,
  colType: 'guid',
  lookup: { entity, onDelete },
});
const definitions = [
  definition('customer', [{ name: 'title' }]),
  definition('ticket', [{ name: 'title', search: true }, lookup('customer_id', 'customer', 'cascade')]),
  definition('comment', [lookup('ticket_id', 'ticket', 'cascade'), lookup('customer_id', 'customer', 'cascade')]),
  definition('visit', [lookup('customer_id', 'customer', 'setnull')]),
  definition('invoice', [lookup('ticket_id', 'ticket', 'restrict')]),
];

interface Job {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly done: number;
  readonly total: number;
  readonly failed: readonly { readonly entity: string; readonly id: string; readonly code: string }[];
}

for (const body of definitions) await defineEntity(org, body);

async function fill(user: AppUser, entity: string, rows: readonly unknown[]): Promise<void> {
  const body = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const reply = await act(user, 'POST', `/import/${entity}`, {
    body,
    headers: { 'content-type': 'application/x-ndjson' },
  });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.body.failed, 0, reply.text);
}

const times = (many: number, row: unknown): readonly unknown[] => Array.from({ length: many }, () => row);
const remove = (user: AppUser, entity: string, id: string) => act<Job>(user, 'DELETE', `/delete/${entity}/${id}`);
const readJob = (user: AppUser, id: string) => act<Job>(user, 'GET', `/jobs/${id}`);

async function ended(user: AppUser, id: string): Promise<Job> {
  return eventually('the end of the job', async () => {
    const { status, text, body } = await readJob(user, id);
    assert.equal(status, 200, text);
    return body.state !== 'queued' && body.state !== 'running' && body;
  });
}

test('a delete with 1,000 dependents answers 202, and its job takes all of them away', async () => {
  const customer = await create(founder, 'customer', { title: 'large' });
  const other = await create(founder, 'customer', { title: 'small' });
  const ticket = await create(founder, 'ticket', { customer_id: customer.id });
  await fill(founder, 'ticket', times(399, { title: 'red', customer_id: customer.id }));
  await fill(founder, 'comment', times(300, { ticket_id: ticket.id }));
  await fill(founder, 'comment', times(300, { ticket_id: ticket.id, customer_id: customer.id }));
  await fill(founder, 'visit', times(250, { customer_id: customer.id }));
  await create(founder, 'comment', { customer_id: other.id });

  const reply = await remove(founder, 'customer', customer.id);
  assert.equal(reply.status, 202, reply.text);
  assert.deepEqual(Object.keys(reply.body), ['id', 'kind', 'state', 'done', 'total', 'failed']);
  assert.equal(reply.body.kind, 'removal');
  assert.equal(reply.headers.get('location'), `/app/${org.code}/jobs/${reply.body.id}`);
  const repeated = await remove(founder, 'customer', customer.id);
  assert.ok(repeated.status === 404 || repeated.body.id === reply.body.id, repeated.text);

  const job = await ended(founder, reply.body.id);
  assert.deepEqual(job, { ...reply.body, state: 'done', done: 1251, total: 1251 });
  assertProblem(await act(founder, 'GET', `/item/customer/${customer.id}`), 'not_found');
  for (const entity of ['ticket', 'comment'])
    assert.equal(await count(founder, entity, `?customer_id=${customer.id}`), 0);
  assert.equal(await count(founder, 'ticket'), 0);
  assert.equal(await count(founder, 'comment'), 1);
  assert.equal(await count(founder, 'visit'), 250);
  assert.ok((await list(founder, 'visit')).items.every((appointment) => appointment.customer_id === undefined));
  assertProblem(await remove(founder, 'customer', customer.id), 'not_found');
  assertProblem(await act(founder, 'DELETE', `/jobs/${job.id}`), 'conflict');
});

test('a record far below that may not lose its reference fails the job before anything is removed', async () => {
  const customer = await create(founder, 'customer', {});
  await fill(founder, 'ticket', times(250, { customer_id: customer.id }));
  const ticket = await create(founder, 'ticket', { customer_id: customer.id });
  const invoice = await create(founder, 'invoice', { ticket_id: ticket.id });
  const { status, body } = await remove(founder, 'customer', customer.id);
  assert.equal(status, 202);
  const job = await ended(founder, body.id);
  assert.equal(job.state, 'failed');
  assert.deepEqual(
    job.failed.map(({ entity, id, code }) => [entity, id, code]),
    [['invoice', invoice.id, 'dangling_reference']],
  );
  assert.equal(await count(founder, 'ticket', `?customer_id=${customer.id}`), 251);
});

test('a job is there for its starter and for the admins of the workspace alone', async () => {
  const member = await memberWith(founder, [allow(['*customer', '*ticket'])]);
  const colleague = await memberWith(founder, [allow(['*customer', '*ticket'])]);
  const customer = await create(member, 'customer', {});
  await fill(member, 'ticket', times(201, { customer_id: customer.id }));
  const { status, body } = await remove(member, 'customer', customer.id);
  assert.equal(status, 202);
  const { id } = body;
  const missing = await readJob(colleague, noId);
  assertProblem(missing, 'not_found');
  const stranger = (await foundedOrg(gateways)).founder;
  for (const method of ['GET', 'DELETE']) {
    const ask = (user: AppUser, job: string) => act(user, method, `/jobs/${job}`);
    for (const other of [colleague, stranger]) assertProblem(await ask(other, id), 'not_found');
    for (const nonsense of [noId, 'nonsense', '-', id.toUpperCase()])
      assertProblem(await ask(founder, nonsense), 'not_found');
    const url = appUrl(org, `/jobs/${id}`);
    assertProblem(await call(method, url), 'token_missing');
    assertProblem(await call(method, url, { token: 'wrong' }), 'token_invalid');
    assertProblem(await call(method, url, { token: stranger.token }), 'token_invalid');
  }
  assert.equal((await readJob(founder, id)).body.id, id);
  assert.equal((await ended(member, id)).state, 'done');
  assertProblem(await readJob(colleague, id), 'not_found');
});

test('a job of one workspace is not there in another of the same app', async () => {
  const many = await multiOrg(gateways);
  for (const body of definitions) await defineEntity(many, body);
  const [one, other] = [await founderOf(many, 'One'), await founderOf(many, 'Other')];
  const customer = await create(one, 'customer', {});
  await fill(one, 'ticket', times(201, { customer_id: customer.id }));
  const { body } = await remove(one, 'customer', customer.id);
  assertProblem(await readJob(other, body.id), 'not_found');
  assertProblem(await act(other, 'DELETE', `/jobs/${body.id}`), 'not_found');
  assert.equal((await ended(one, body.id)).state, 'done');
});

test('a delete in a batch that reaches more than 200 records is refused, and nothing changes', async () => {
  const customer = await create(founder, 'customer', {});
  await fill(founder, 'ticket', times(201, { customer_id: customer.id }));
  const operations = [{ action: 'delete', entity: 'customer', id: customer.id }];
  assertProblem(await act(founder, 'POST', '/batch', { body: { mode: 'atomic', operations } }), 'conflict');
  assert.equal(await count(founder, 'ticket', `?customer_id=${customer.id}`), 201);
});
