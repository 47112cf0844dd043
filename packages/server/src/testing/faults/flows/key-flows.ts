/** Keys of servers, impersonation tokens, and the keys that sign tokens. */
import assert from 'node:assert/strict';
import { operatorKey } from '../faulty-platform.ts';
import { call, type Fixture, random } from '../fixture.ts';
import type { Flow, Flows } from './flow.ts';

const makeKey: Flow = {
  route: 'POST /org/service-keys',
  prepare: async (fixture) => {
    const name = random();
    let made = '';
    const send = async () => {
      const reply = await newKey(fixture, name);
      if (reply.status === 201) made = reply.body.key;
      return reply;
    };
    const check = async () => {
      assert.equal((await fixture.org.as(made)('GET', '/list/order')).status, 200);
      const ready = (await keysOf(fixture)).filter((key) => key.name === name && key.state === 'ready');
      assert.equal(ready.length, 1);
      await removeAll(fixture, name);
    };
    return { send, check: once(check) };
  },
};

/** What is looked at is taken away afterwards, since a workspace has few keys. */
function once(check: () => Promise<void>): () => Promise<void> {
  let isDone = false;
  return async () => {
    if (!isDone) await check();
    isDone = true;
  };
}

const removeKey: Flow = {
  route: 'DELETE /org/service-keys/:id',
  prepare: async (fixture) => {
    const { id, key, name } = (await newKey(fixture, random())).body;
    const check = async () => {
      assert.equal((await fixture.org.as(key)('GET', '/list/order')).status, 401);
      assert.ok((await keysOf(fixture)).every((one) => one.name !== name));
      assert.deepEqual((await fixture.act('GET', `/list/useraclpolicy?user_id=${id}`)).body.items, []);
    };
    return { send: () => fixture.org.manage('DELETE', `/org/service-keys/${id}`), already: 404, check };
  },
};

const makeDeployKey: Flow = {
  route: 'POST /deploy/keys',
  prepare: async (fixture) => {
    const name = random();
    let made = '';
    const send = async () => {
      const reply = await newDeployKey(fixture, name);
      if (reply.status === 201) made = reply.body.key;
      return reply;
    };
    const check = async () => {
      assert.ok(await isDeployKeyKnown(fixture, made));
      const [id, ...others] = await deployKeysNamed(fixture, name);
      assert.ok(id !== undefined && others.length === 0);
      assert.equal((await fixture.org.manage('DELETE', `/deploy/keys/${id}`)).status, 204);
    };
    return { send, check: once(check) };
  },
};

const removeDeployKey: Flow = {
  route: 'DELETE /deploy/keys/:id',
  prepare: async (fixture) => {
    const { id, key, name } = (await newDeployKey(fixture, random())).body;
    const check = async () => {
      assert.ok(!(await isDeployKeyKnown(fixture, key)));
      assert.deepEqual(await deployKeysNamed(fixture, name), []);
    };
    return { send: () => fixture.org.manage('DELETE', `/deploy/keys/${id}`), already: 404, check };
  },
};

const impersonate: Flow = {
  route: 'POST /org/impersonate',
  prepare: async ({ org, founder }) => {
    let token = '';
    const send = async () => {
      const body = { env: 'test', tenant_code: 'main', user_id: founder.id };
      const reply = await org.manage('POST', '/org/impersonate', body);
      if (reply.status === 200) ({ token } = reply.body);
      return reply;
    };
    return { send, check: async () => assert.equal((await org.as(token)('GET', '/list/order')).status, 200) };
  },
};

const rotate: Flow = {
  route: 'POST /platform/keys/rotate',
  prepare: async (fixture) => {
    for (const { kid } of await published(fixture)) await operate(fixture, 'DELETE', `/platform/keys/${kid}`);
    const check = async () => {
      const [next, ...others] = await published(fixture);
      assert.ok(next !== undefined && others.length === 0);
      assert.ok(await isAudited(fixture, 'signing_key.made', next.kid));
    };
    return { send: () => operate(fixture, 'POST', '/platform/keys/rotate'), check };
  },
};

const revoke: Flow = {
  route: 'DELETE /platform/keys/:kid',
  prepare: async (fixture) => {
    const { kid } = (await operate(fixture, 'POST', '/platform/keys/rotate')).body;
    const check = async () => {
      assert.deepEqual(await published(fixture), []);
      assert.ok(await isAudited(fixture, 'signing_key.revoked', kid));
    };
    return { send: () => operate(fixture, 'DELETE', `/platform/keys/${kid}`), already: 404, check };
  },
};

const changePlan: Flow = {
  route: 'PUT /platform/orgs/:org/plan',
  prepare: async (fixture) => {
    const name = `plan-${random()}`;
    const path = `/platform/orgs/${fixture.org.code}/plan`;
    const put = { authorization: `Bearer ${operatorKey}` };
    const send = () => call('PUT', fixture.platform.management + path, put, { name, limits: { records: 1_000_000 } });
    const check = async () => {
      const { body } = await operate(fixture, 'GET', path);
      assert.equal(body.name, name);
      assert.equal((await fixture.org.manage('GET', '/org')).body.plan, name);
    };
    return { send, check };
  },
};

function newKey({ org }: Fixture, name: string) {
  const body = { env: 'test', tenant_code: 'main', name, policies: ['vieweracl'] };
  return org.manage('POST', '/org/service-keys', body);
}

function newDeployKey({ org }: Fixture, name: string) {
  return org.manage('POST', '/deploy/keys', { name, scope: 'publish' });
}

async function isDeployKeyKnown({ platform }: Fixture, key: string): Promise<boolean> {
  const { status } = await call('GET', `${platform.management}/deploy/staged`, { authorization: `Bearer ${key}` });
  return status !== 401;
}

async function deployKeysNamed({ org }: Fixture, name: string): Promise<readonly string[]> {
  const { items } = (await org.manage('GET', '/deploy/keys')).body;
  return items.filter((key) => key.name === name).map(({ id }) => id);
}

async function keysOf({ org }: Fixture) {
  return (await org.manage('GET', '/org/service-keys?env=test&pagesize=200')).body.items;
}

async function removeAll(fixture: Fixture, name: string): Promise<void> {
  for (const key of await keysOf(fixture))
    if (key.name === name)
      assert.equal((await fixture.org.manage('DELETE', `/org/service-keys/${key.id}`)).status, 204);
}

function operate({ platform }: Fixture, method: string, path: string) {
  return call(method, `${platform.management}${path}`, { authorization: `Bearer ${operatorKey}` });
}

async function published(fixture: Fixture) {
  const { items } = (await operate(fixture, 'GET', '/platform/keys')).body;
  return items.filter(({ state }) => state === 'published');
}

/** Whether the operator's log has it. */
async function isAudited({ platform }: Fixture, action: string, kid: string): Promise<boolean> {
  const log = await platform.stores.platform.store.scope('platform').range('audit', { limit: 1000 });
  return log.some(({ value }) => value.includes(`"${action}"`) && value.includes(kid));
}

export const keyFlows: Flows = {
  'a service key': makeKey,
  'the removal of a service key': removeKey,
  'a deploy key': makeDeployKey,
  'the removal of a deploy key': removeDeployKey,
  impersonation: impersonate,
  'a rotation of the signing keys': rotate,
  'the revocation of a signing key': revoke,
  'a change of the plan': changePlan,
};
