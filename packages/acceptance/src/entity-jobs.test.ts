/** Background work on entities, which the management gateway shows as jobs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { eventually } from './eventually.ts';
import { act, create, defineEntity, definition, foundedOrg, manage, type Org, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();

interface Job {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly entity: string;
  readonly name: string;
  readonly failed: readonly { readonly entity: string; readonly id: string; readonly code: string }[];
}

interface JobPage {
  readonly items: readonly Job[];
  readonly nexttoken: string | null;
}

async function jobs(org: Org, query = ''): Promise<JobPage> {
  const reply = await manage<JobPage>(org, 'GET', `/jobs${query}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

test('the work on entities is listed as jobs, which are read by their ids until they are mended', async () => {
  const { org, founder } = await foundedOrg(gateways);
  assert.deepEqual(await jobs(org), { items: [], nexttoken: null });
  await defineEntity(org, definition('note', [{ name: 'title' }]));
  const first = await create(founder, 'note', { title: 'a' });
  const second = await create(founder, 'note', { title: 'a' });
  const body = { UniqueIndexes: [{ indexName: 'by_title', fields: ['title'] }] };
  assert.equal((await manage(org, 'PUT', '/api/create-note', { body })).status, 200);
  const job = await eventually('the end of the job', async () => {
    const [first] = (await jobs(org)).items;
    return first?.state === 'failed' && first;
  });
  assert.deepEqual([job.kind, job.entity, job.name], ['index', 'note', 'by_title']);
  assert.deepEqual(
    job.failed.map(({ entity, id, code }) => [entity, id, code]).toSorted(),
    [first.id, second.id].map((id) => ['note', id, 'unique_violation']).toSorted(),
  );
  const read = await manage<Job>(org, 'GET', `/jobs/${job.id}`);
  assert.deepEqual({ ...read.body, done: 0, total: 0 }, job);
  assert.deepEqual((await jobs(org, '?env=prod')).items, []);
  await act(founder, 'DELETE', `/delete/note/${first.id}`);
  assert.equal((await manage(org, 'PUT', '/api/create-note', { body: { UniqueIndexes: null } })).status, 200);
  assertProblem(await manage(org, 'GET', `/jobs/${job.id}`), 'not_found');
  assert.deepEqual((await jobs(org)).items, []);
});

test('the build of an index is cancelled, and the refusal of other jobs says what ends them', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, definition('note', [{ name: 'title' }]));
  for (const title of ['a', 'a']) await create(founder, 'note', { title });
  const put = async (body: object): Promise<Job | undefined> => {
    assert.equal((await manage(org, 'PUT', '/api/create-note?force=true', { body })).status, 200);
    return (await jobs(org)).items[0];
  };
  const index = await put({ UniqueIndexes: [{ indexName: 'by_title', fields: ['title'] }] });
  const cancelled = await manage<Job>(org, 'DELETE', `/jobs/${index?.id}`);
  assert.deepEqual([cancelled.status, cancelled.body.state, cancelled.body.name], [200, 'cancelled', 'by_title']);
  assertProblem(await manage(org, 'DELETE', `/jobs/${index?.id}`), 'not_found');
  const { body } = await manage<{ readonly create: object }>(org, 'GET', '/api/entity?entityName=note');
  assert.ok(!JSON.stringify(body.create).includes('by_title'));
  const fill = await put({ UpdateParams: [{ name: 'short', validate: true, maxlength: 1, backfill: 'title + "x"' }] });
  const refused = assertProblem(await manage(org, 'DELETE', `/jobs/${fill?.id}`), 'conflict');
  assert.equal(
    refused.detail,
    'field `short` is filled as long as the definition says by what: change that by `PUT /api/create-note`',
  );
});

test('jobs are those of the org of the builder, and no end-user sees them', async () => {
  const { org, founder } = await foundedOrg(gateways);
  await defineEntity(org, definition('note', [{ name: 'title' }]));
  for (const title of ['a', 'a']) await create(founder, 'note', { title });
  const body = { UniqueIndexes: [{ indexName: 'by_title', fields: ['title'] }] };
  assert.equal((await manage(org, 'PUT', '/api/create-note', { body })).status, 200);
  const [job] = (await jobs(org)).items;
  const neighbour = await signUp(gateways);
  assert.deepEqual((await jobs(neighbour)).items, []);
  for (const method of ['GET', 'DELETE'] as const)
    assertProblem(await manage(neighbour, method, `/jobs/${job?.id}`), 'not_found');
  for (const path of ['/jobs', `/jobs/${job?.id}`])
    assert.equal((await manage(org, 'GET', path, { token: founder.token })).status, 401);
  assertProblem(await manage(org, 'GET', '/jobs?nexttoken=x'), 'invalid_cursor');
  assert.deepEqual(pointers(assertProblem(await manage(org, 'GET', '/jobs?pagesize=51'), 'invalid_request')), [
    '/pagesize',
  ]);
});
