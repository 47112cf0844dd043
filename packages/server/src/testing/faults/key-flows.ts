/** Keys of servers, tokens in somebody's name, and the keys that sign tokens. */
import assert from 'node:assert/strict';
import { operatorKey } from './faulty-platform.ts';
import type { Flow, Flows } from './flow.ts';
import { call, random, type Scene } from './scene.ts';

const makeKey: Flow = {
  route: 'POST /org/service-keys',
  prepare: async (scene) => {
    const name = random();
    let made = '';
    const send = async () => {
      const reply = await newKey(scene, name);
      if (reply.status === 201) made = reply.body.key;
      return reply;
    };
    const check = async () => {
      assert.equal((await scene.org.as(made)('GET', '/list/order')).status, 200);
      const ready = (await keysOf(scene)).filter((key) => key.name === name && key.state === 'ready');
      assert.equal(ready.length, 1);
      await removeAll(scene, name);
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
  prepare: async (scene) => {
    const { id, key, name } = (await newKey(scene, random())).body;
    const check = async () => {
      assert.equal((await scene.org.as(key)('GET', '/list/order')).status, 401);
      assert.ok((await keysOf(scene)).every((one) => one.name !== name));
      assert.deepEqual((await scene.act('GET', `/list/useraclpolicy?user_id=${id}`)).body.items, []);
    };
    return { send: () => scene.org.manage('DELETE', `/org/service-keys/${id}`), already: 404, check };
  },
};

const makeDeployKey: Flow = {
  route: 'POST /deploy/keys',
  prepare: async (scene) => {
    const name = random();
    let made = '';
    const send = async () => {
      const reply = await newDeployKey(scene, name);
      if (reply.status === 201) made = reply.body.key;
      return reply;
    };
    const check = async () => {
      assert.ok(await isDeployKeyKnown(scene, made));
      const [id, ...others] = await deployKeysNamed(scene, name);
      assert.ok(id !== undefined && others.length === 0);
      assert.equal((await scene.org.manage('DELETE', `/deploy/keys/${id}`)).status, 204);
    };
    return { send, check: once(check) };
  },
};

const removeDeployKey: Flow = {
  route: 'DELETE /deploy/keys/:id',
  prepare: async (scene) => {
    const { id, key, name } = (await newDeployKey(scene, random())).body;
    const check = async () => {
      assert.ok(!(await isDeployKeyKnown(scene, key)));
      assert.deepEqual(await deployKeysNamed(scene, name), []);
    };
    return { send: () => scene.org.manage('DELETE', `/deploy/keys/${id}`), already: 404, check };
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
  prepare: async (scene) => {
    for (const { kid } of await published(scene)) await operate(scene, 'DELETE', `/platform/keys/${kid}`);
    const check = async () => {
      const [next, ...others] = await published(scene);
      assert.ok(next !== undefined && others.length === 0);
      assert.ok(await isTold(scene, 'signing_key.made', next.kid));
    };
    return { send: () => operate(scene, 'POST', '/platform/keys/rotate'), check };
  },
};

const revoke: Flow = {
  route: 'DELETE /platform/keys/:kid',
  prepare: async (scene) => {
    const { kid } = (await operate(scene, 'POST', '/platform/keys/rotate')).body;
    const check = async () => {
      assert.deepEqual(await published(scene), []);
      assert.ok(await isTold(scene, 'signing_key.revoked', kid));
    };
    return { send: () => operate(scene, 'DELETE', `/platform/keys/${kid}`), already: 404, check };
  },
};

const changePlan: Flow = {
  route: 'PUT /platform/orgs/:org/plan',
  prepare: async (scene) => {
    const name = `plan-${random()}`;
    const path = `/platform/orgs/${scene.org.code}/plan`;
    const put = { authorization: `Bearer ${operatorKey}` };
    const send = () => call('PUT', scene.platform.management + path, put, { name, limits: { records: 1_000_000 } });
    const check = async () => {
      const { body } = await operate(scene, 'GET', path);
      assert.equal(body.name, name);
      assert.equal((await scene.org.manage('GET', '/org')).body.plan, name);
    };
    return { send, check };
  },
};

function newKey({ org }: Scene, name: string) {
  const body = { env: 'test', tenant_code: 'main', name, policies: ['vieweracl'] };
  return org.manage('POST', '/org/service-keys', body);
}

function newDeployKey({ org }: Scene, name: string) {
  return org.manage('POST', '/deploy/keys', { name, scope: 'publish' });
}

async function isDeployKeyKnown({ platform }: Scene, key: string): Promise<boolean> {
  const { status } = await call('GET', `${platform.management}/deploy/staged`, { authorization: `Bearer ${key}` });
  return status !== 401;
}

async function deployKeysNamed({ org }: Scene, name: string): Promise<readonly string[]> {
  const { items } = (await org.manage('GET', '/deploy/keys')).body;
  return items.filter((key) => key.name === name).map(({ id }) => id);
}

async function keysOf({ org }: Scene) {
  return (await org.manage('GET', '/org/service-keys?env=test&pagesize=200')).body.items;
}

async function removeAll(scene: Scene, name: string): Promise<void> {
  for (const key of await keysOf(scene))
    if (key.name === name) assert.equal((await scene.org.manage('DELETE', `/org/service-keys/${key.id}`)).status, 204);
}

function operate({ platform }: Scene, method: string, path: string) {
  return call(method, `${platform.management}${path}`, { authorization: `Bearer ${operatorKey}` });
}

async function published(scene: Scene) {
  const { items } = (await operate(scene, 'GET', '/platform/keys')).body;
  return items.filter(({ state }) => state === 'published');
}

/** Whether the operator's log has it. */
async function isTold({ platform }: Scene, action: string, kid: string): Promise<boolean> {
  const log = await platform.stores.platform.store.scope('platform').range('audit', { limit: 1000 });
  return log.some(({ value }) => value.includes(`"${action}"`) && value.includes(kid));
}

export const keyFlows: Flows = {
  'a service key': makeKey,
  'the removal of a service key': removeKey,
  'a deploy key': makeDeployKey,
  'the removal of a deploy key': removeDeployKey,
  'acting for somebody': impersonate,
  'a rotation of the signing keys': rotate,
  'the revocation of a signing key': revoke,
  'a change of the plan': changePlan,
};
