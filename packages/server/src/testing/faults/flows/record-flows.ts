/** The operations of an app's users on records, the system's own included. */
import assert from 'node:assert/strict';
import { type Fixture, type Item, newEmail, type Reply, random } from '../fixture.ts';
import type { Flow, Flows } from './flow.ts';

const create: Flow = {
  route: 'POST /app/:org/create/:entity',
  prepare: async ({ act, orders }) => {
    const [code, key] = [random(), random()];
    const send = () => act('POST', '/create/order', { title: 'a', code }, { 'idempotency-key': key });
    return { send, check: async () => assert.equal((await orders(code)).length, 1) };
  },
};

const update: Flow = {
  route: 'PUT /app/:org/update/:entity/:id',
  prepare: async ({ act, orders }) => {
    const [code, title] = [random(), random()];
    const { id } = (await act('POST', '/create/order', { title: 'a', code })).body;
    const check = async () => {
      assert.equal((await orders(code))[0]?.title, title);
      assert.equal((await act('GET', `/count/order?title=${title}`)).body.count, 1);
    };
    return { send: () => act('PUT', `/update/order/${id}`, { title }), check };
  },
};

const remove: Flow = {
  route: 'DELETE /app/:org/delete/:entity/:id',
  prepare: async ({ act, orders }) => {
    const code = random();
    const { id } = (await act('POST', '/create/order', { title: 'a', code })).body;
    const check = async () => assert.deepEqual(await orders(code), []);
    return { send: () => act('DELETE', `/delete/order/${id}`), already: 404, check };
  },
};

/** An order that more pieces refer to than one commit removes. */
async function orderOfPieces({ act, org }: Fixture): Promise<{ readonly id: string; readonly code: string }> {
  const code = random();
  const lookup = { entity: 'order', onDelete: 'cascade' };
  const UpdateParams = [{ name: 'order_id', colType: 'guid', lookup }];
  await org.manage('POST', '/api/create-piece', { entityName: 'piece', UpdateParams });
  const { id } = (await act('POST', '/create/order', { title: 'a', code })).body;
  const rows = `${JSON.stringify({ order_id: id })}\n`.repeat(piecesOfOrder);
  const headers = { 'content-type': 'application/x-ndjson' };
  assert.equal((await act('POST', '/import/piece', rows, headers)).status, 200);
  return { id, code };
}

const piecesOfOrder = 201;

const removeMany: Flow = {
  route: 'DELETE /app/:org/delete/:entity/:id',
  prepare: async (fixture) => {
    const { act, orders } = fixture;
    const { id, code } = await orderOfPieces(fixture);
    const check = async () => {
      assert.deepEqual(await orders(code), []);
      assert.equal((await act('GET', `/count/piece?order_id=${id}`)).body.count, 0);
    };
    return { send: () => act('DELETE', `/delete/order/${id}`), already: 404, check };
  },
};

const cancelJob: Flow = {
  route: 'DELETE /app/:org/jobs/:id',
  prepare: async (fixture) => {
    const { act, orders } = fixture;
    const order = await orderOfPieces(fixture);
    let job: string | undefined;
    const send = async (): Promise<Reply> => {
      const started = await act('DELETE', `/delete/order/${order.id}`);
      if (started.status === 202) job = started.body.id;
      if (started.status !== 202 && started.status !== 404) return started;
      const reply = await act('DELETE', `/jobs/${job ?? 'unknown'}`);
      // The job may have come to its end before, also unknown to its starter.
      const isOver = reply.status === 409 || (reply.status === 404 && job === undefined);
      return isOver ? { ...reply, status: 200 } : reply;
    };
    const check = async () => {
      const { state } = job === undefined ? { state: 'done' } : (await act('GET', `/jobs/${job}`)).body;
      assert.ok(state === 'cancelled' || state === 'done', state);
      const left = (await act('GET', `/count/piece?order_id=${order.id}`)).body.count;
      assert.ok(left === 0 || (await orders(order.code)).length === 1);
    };
    return { send, check };
  },
};

function batch(mode: 'atomic' | 'independent'): Flow {
  return {
    route: 'POST /app/:org/batch',
    prepare: async ({ act, orders }) => {
      const [one, other, key] = [random(), random(), random()];
      const operations = [one, other].map((code) => ({ action: 'create', entity: 'order', data: { code } }));
      const send = async () => worst(await act('POST', '/batch', { mode, operations }, { 'idempotency-key': key }));
      const check = async () => assert.deepEqual([(await orders(one)).length, (await orders(other)).length], [1, 1]);
      return { send, check };
    },
  };
}

/** A batch whose operations are independent succeeds as a whole only where each of them does. */
function worst(reply: Reply): Reply {
  if (reply.status !== 200) return reply;
  const failed = reply.body.results.filter(({ status }) => status >= 400);
  const [first] = failed.toSorted((left, right) => right.status - left.status);
  return first === undefined ? reply : { status: first.status, body: { ...reply.body, code: first.error?.code ?? '' } };
}

const importFile: Flow = {
  route: 'POST /app/:org/import/:entity',
  prepare: async ({ act, orders }) => {
    const codes = [random(), random(), random()];
    const lines = codes.map((code) => `${JSON.stringify({ title: 'a', code })}\n`).join('');
    const check = async () => {
      for (const code of codes) assert.equal((await orders(code)).length, 1);
    };
    const headers = { 'content-type': 'application/x-ndjson' };
    return { send: async () => imported(await act('POST', '/import/order?upsert=code', lines, headers)), check };
  },
};

/** An import that was broken off says so in a 200, with what had been written. */
function imported(reply: Reply): Reply {
  return reply.status === 200 && 'error' in reply.body ? { ...reply, status: 500 } : reply;
}

const policy: Flow = {
  route: 'POST /app/:org/create/:entity',
  prepare: async ({ act }) => {
    const [name, key] = [random(), random()];
    const statements = [{ Effect: 'Allow', Action: ['listorder'], Resource: ['*'] }];
    const send = () => act('POST', '/create/aclpolicy', { name, statements }, { 'idempotency-key': key });
    const check = async () => assert.equal((await act('GET', `/list/aclpolicy?name=${name}`)).body.items.length, 1);
    return { send, check };
  },
};

const link: Flow = {
  route: 'POST /app/:org/create/:entity',
  prepare: async (fixture) => {
    const { act, org } = fixture;
    const member = await memberOf(fixture);
    await unlink(fixture, member.id);
    assert.equal((await org.as(member.token)('GET', '/list/order')).status, 403);
    const [viewer] = (await act('GET', '/list/aclpolicy?name=vieweracl')).body.items;
    const body = { user_id: member.id, acl_policy_id: viewer?.id };
    const headers = { 'idempotency-key': random() };
    const check = async () => assert.equal((await org.as(member.token)('GET', '/list/order')).status, 200);
    return { send: () => act('POST', '/create/useraclpolicy', body, headers), check };
  },
};

const suspension: Flow = {
  route: 'PUT /app/:org/update/:entity/:id',
  prepare: async (fixture) => {
    const { act, org } = fixture;
    const member = await memberOf(fixture);
    const check = async () => assert.equal((await org.as(member.token)('GET', '/list/order')).status, 401);
    return { send: () => act('PUT', `/update/user/${member.id}`, { status: 'suspended' }), check };
  },
};

const removal: Flow = {
  route: 'DELETE /app/:org/delete/:entity/:id',
  prepare: async (fixture) => {
    const { act, org } = fixture;
    const member = await memberOf(fixture);
    const check = async () => {
      assert.equal((await org.as(member.token)('GET', '/list/order')).status, 401);
      assert.deepEqual(await linksOf(fixture, member.id), []);
    };
    return { send: () => act('DELETE', `/delete/user/${member.id}`), already: 404, check };
  },
};

function memberOf({ org }: Fixture) {
  return org.signIn(newEmail());
}

async function linksOf({ act }: Fixture, id: string): Promise<readonly Item[]> {
  return (await act('GET', `/list/useraclpolicy?user_id=${id}`)).body.items;
}

async function unlink(fixture: Fixture, id: string): Promise<void> {
  for (const one of await linksOf(fixture, id))
    assert.equal((await fixture.act('DELETE', `/delete/useraclpolicy/${one.id}`)).status, 204);
}

export const recordFlows: Flows = {
  'a create': create,
  'an update': update,
  'a removal': remove,
  'a removal of many': removeMany,
  'the end of a job': cancelJob,
  'an atomic batch': batch('atomic'),
  'a batch of independent operations': batch('independent'),
  'an import': importFile,
  'a new policy': policy,
  'a link of a policy': link,
  'the suspension of a member': suspension,
  'the removal of a member': removal,
};
