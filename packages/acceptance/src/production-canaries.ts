/** An org whose production has a value of its own in every place that a route might show it from. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { call } from './call.ts';
import { type Delivery, deliveries, makeEvent, startReceiver } from './event-receiver.ts';
import {
  type AppUser,
  act,
  allow,
  create,
  defineEntity,
  definition,
  deny,
  foundedOrg,
  joinOrg,
  list,
  manage,
  newEmail,
  type Org,
  random,
  signIn,
  withCondition,
} from './org.ts';
import type { Gateways } from './platform.ts';
import { activate, deploy, inProduction, prodFounder, publish, settledIndexes } from './promotion.ts';
import { signMessage } from './standard-webhook.ts';

export interface Canaries {
  readonly org: Org;
  /** The token of a builder with the role `developer`. */
  readonly developer: string;
  readonly policyId: string;
  readonly groupId: string;
  readonly recordId: string;
  /** Of a call that is answered like a missing record. */
  readonly requestId: string;
  readonly decisionId: string;
  readonly memberId: string;
  readonly jobId: string;
  readonly delivery: Delivery;
  readonly runId: string;
  readonly tenantCode: string;
  /** None of these texts may be in a reply to the developer. */
  readonly values: readonly string[];
}

const canary = {
  title: 'canary-of-a-title',
  note: 'canary-of-a-note',
  pin: 'canary-of-a-pin',
  first: 'canary-of-a-first-name',
  last: 'canary-of-a-last-name',
  input: 'canary-of-an-input',
  draft: 'canary-of-a-draft',
} as const;

const hookSecret = `whsec_${Buffer.from('the key of this hook').toString('base64')}`;

/** In production: records, members, an invitation, denials, recorded calls, deliveries, runs, messages to a hook, a failed index. */
export async function orgWithCanaries(gateways: Gateways, t: TestContext): Promise<Canaries> {
  const { org } = await foundedOrg(gateways);
  const receiver = await startReceiver(t);
  receiver.answer = (reply, { body }) => void reply.writeHead(500).end(body);
  await configure(org, receiver.url);
  const prod = await inProduction(org);
  await deploy(org);
  const founder = await prodFounder(org);
  await named(founder);
  const first = await create(founder, 'visit', { title: canary.title, note: canary.note, pin: canary.pin });
  await create(founder, 'visit', { title: canary.title, note: canary.note });
  const reader = await named(await signIn(prod, newEmail('canary-reader')));
  const { policyId, groupId } = await limit(founder, reader);
  const requestId = await denied(reader, first.id);
  const refused = await act<{ decision_id: string }>(reader, 'POST', '/create/visit', {
    body: { title: canary.draft },
  });
  assert.equal(refused.status, 403, refused.text);
  const guest = newEmail('canary-guest');
  assert.equal((await act(founder, 'POST', '/user/invitations', { body: { email: guest } })).status, 201);
  const runId = await runs(prod, founder);
  await breakAnIndex(org);
  const jobs = await manage<{ items: readonly { id: string }[] }>(org, 'GET', '/jobs?env=prod');
  const [delivery] = await deliveries(org, '?env=prod', ([one]) => (one?.count ?? 0) > 0);
  return {
    org,
    developer: (await joinOrg(org, 'developer')).token,
    ...{ policyId, groupId, recordId: first.id, requestId, decisionId: refused.body.decision_id },
    memberId: reader.id,
    jobId: jobs.body.items[0]?.id ?? assert.fail(jobs.text),
    delivery: delivery ?? assert.fail('nothing was delivered'),
    runId,
    tenantCode: founder.tenantCode,
    values: [...Object.values(canary), founder.email, reader.email, guest],
  };
}

async function configure(org: Org, url: string): Promise<void> {
  const fields = [{ name: 'title' }, { name: 'note', index: true }, { name: 'pin', colType: 'encrypted' }];
  await defineEntity(org, definition('visit', fields));
  await makeEvent(org, 'tell', url, { entity_name: 'visit' });
  const script = { id: 'told', type: 'script', source: 'console.log(input.title); return input.title;' };
  const made = { id: 'made', type: 'create', entity: 'visit', values: { title: '{{ input.title }}' } };
  const raised = { id: 'no', type: 'raise', status: 422, code: 'no', message: '{{ input.title }}' };
  const hook = { signature: 'standard', secrets: ['pay'] };
  const schema = { type: 'object', properties: { title: { type: 'string', enum: ['none'] } } };
  const app = { run_as: 'app', policies: [allow('*visit')] };
  await block(org, 'keep', { ...app, steps: [made, script, raised] });
  await block(org, 'paid', { ...app, hook, input_schema: schema, steps: [made] });
  const schedule = { cron: '0 3 1 1 *', timezone: 'UTC', missed: 'skip' };
  await block(org, 'yearly', { ...app, schedule, steps: [script] });
}

async function block(org: Org, name: string, content: object): Promise<void> {
  const reply = await manage(org, 'POST', '/config/logicblock', { body: { name, content: { name, ...content } } });
  assert.equal(reply.status, 201, reply.text);
}

async function named(user: AppUser): Promise<AppUser> {
  const reply = await act(user, 'PUT', '/user/me', { body: { fn: canary.first, ln: canary.last } });
  assert.equal(reply.status, 200, reply.text);
  return user;
}

/** What decides about the member compares values of records, of bodies and of the member. */
async function limit(founder: AppUser, reader: AppUser) {
  const { items: links } = await list(founder, 'useraclpolicy');
  for (const link of links.filter(({ user_id }) => user_id === reader.id))
    assert.equal((await act(founder, 'DELETE', `/delete/useraclpolicy/${link.id}`)).status, 204);
  const statements = [
    allow('listvisit'),
    withCondition(allow('getvisit'), { StringEquals: { 'record.note': ['another'] } }),
    withCondition(allow('createvisit'), { StringEquals: { 'request.body.title': ['another'] } }),
    withCondition(allow('deletevisit'), { StringEquals: { 'user.email': ['another@example.com'] } }),
    { ...withCondition(deny('listvisit'), { StringEquals: { 'user.email': [reader.email] } }), Mode: 'report' },
  ];
  const policy = await create(founder, 'aclpolicy', { name: 'readers', statements });
  await create(founder, 'useraclpolicy', { user_id: reader.id, acl_policy_id: policy.id });
  const group = await create(founder, 'group', { name: 'all', acl_policies: [policy.id] });
  await create(founder, 'usergroup', { user_id: reader.id, group_id: group.id });
  assert.equal((await act(reader, 'GET', '/list/visit')).status, 200);
  return { policyId: policy.id, groupId: group.id };
}

async function denied(reader: AppUser, id: string): Promise<string> {
  const reply = await act(reader, 'GET', `/item/visit/${id}`);
  assert.equal(reply.status, 404, reply.text);
  return reply.headers.get('x-request-id') ?? assert.fail('no request id');
}

/** A run that fails with a sentence of values, and a message to a hook that begins none. */
async function runs(org: Org, founder: AppUser): Promise<string> {
  const failed = await act(founder, 'POST', '/logicblocks/keep', { body: { title: canary.input } });
  assert.equal(failed.status, 422, failed.text);
  const set = await manage(org, 'PUT', '/secrets/pay?env=prod', { body: { value: hookSecret, hosts: [] } });
  assert.equal(set.status, 200, set.text);
  const body = JSON.stringify({ title: canary.input });
  const headers = { ...signMessage(hookSecret, random(), body) };
  const refused = await call('POST', `${org.app}/app/${org.code}/hooks/paid?env=prod`, { body, headers });
  assert.equal(refused.status, 400, refused.text);
  const listed = await manage<{ items: readonly { id: string }[] }>(org, 'GET', '/runs?env=prod&block=keep');
  return listed.body.items[0]?.id ?? assert.fail(listed.text);
}

/** Two records have the same note. What is staged behind it would be refused by all records. */
async function breakAnIndex(org: Org): Promise<void> {
  const put = (body: object) => manage(org, 'PUT', '/api/create-visit?force=true', { body });
  const unique = await put({ UniqueIndexes: [{ indexName: 'by_note', fields: ['note'] }] });
  assert.equal(unique.status, 200, unique.text);
  await publish(org);
  await activate(org, { force: true });
  await settledIndexes(org, 'visit');
  const stricter = await put({ UpdateParams: [{ name: 'title', validate: true, maxlength: 1 }] });
  assert.equal(stricter.status, 200, stricter.text);
  await publish(org);
}
