/** Accounts whose password is suspended: how that comes, and how it ends. */
import assert from 'node:assert/strict';
import type { Flow, Flows } from './flow.ts';
import { clientAtProvider, providerForFlows } from './provider.ts';
import { type Person, random, type Scene } from './scene.ts';

/** An admin with a password and an address that nobody has proved, and the token by which a provider proves it. */
async function unprovedAdmin({
  org,
  act,
  founder,
}: Scene): Promise<{ readonly person: Person; readonly proof: string }> {
  const provider = await providerForFlows();
  const value = [{ issuer: provider.issuer, audiences: [clientAtProvider] }];
  assert.equal((await org.manage('PUT', '/org/settings', { group: 'auth', name: 'issuers', value })).status, 200);
  const person = await org.signIn();
  const [admin] = (await act('GET', '/list/aclpolicy?name=adminacl')).body.items;
  const link = { user_id: person.id, acl_policy_id: admin?.id };
  assert.equal((await act('POST', '/create/useraclpolicy', link)).status, 201);
  assert.notEqual(person.id, founder.id);
  return { person, proof: provider.token(person.email) };
}

async function suspended(scene: Scene) {
  const admin = await unprovedAdmin(scene);
  const { body } = await scene.org.exchange(admin.proof);
  assert.equal(body.tenant_id, null);
  return { ...admin, otherId: body.user_id };
}

async function entries({ act }: Scene, email: string): Promise<readonly (readonly [string, string])[]> {
  return (await act('GET', `/list/user?email=${email}`)).body.items.map(({ id, status }) => [id, status] as const);
}

/** That both accounts are one, with what the older one holds. */
function isMerged(scene: Scene, { person, proof }: { readonly person: Person; readonly proof: string }) {
  return async () => {
    const { body } = await scene.org.exchange(proof);
    assert.deepEqual([body.user_id, body.tenant_code], [person.id, 'main']);
    assert.deepEqual(await entries(scene, person.email), [[person.id, 'active']]);
    assert.equal((await scene.org.as(body.token)('POST', '/create/userrole', { name: random() })).status, 201);
    assert.equal((await scene.org.logIn(person.email)).status, 401);
  };
}

const suspension: Flow = {
  route: 'GET /app/:org/token',
  prepare: async (scene) => {
    const { person, proof } = await unprovedAdmin(scene);
    const check = async () => {
      assert.deepEqual(await entries(scene, person.email), [[person.id, 'password_suspended']]);
      assert.equal((await scene.org.logIn(person.email)).status, 401);
      assert.equal((await scene.org.as(person.token)('GET', '/user/me')).status, 401);
    };
    const send = () => scene.org.exchange(proof);
    return { send, check };
  },
};

const proveByMail: Flow = {
  route: 'POST /app/:org/verify-email',
  prepare: async (scene) => {
    const account = await suspended(scene);
    const code = await scene.mailedCode(account.person.email, 'verify-email');
    const send = () => scene.org.visit('POST', '/verify-email', { code });
    return { send, already: 404, check: isMerged(scene, account) };
  },
};

const merge: Flow = {
  route: 'POST /org/suspended-accounts/:id/merge',
  prepare: async (scene) => {
    const account = await suspended(scene);
    const send = () => scene.org.manage('POST', `/org/suspended-accounts/${account.person.id}/merge`);
    return { send, already: 404, check: isMerged(scene, account) };
  },
};

const remove: Flow = {
  route: 'DELETE /org/suspended-accounts/:id',
  prepare: async (scene) => {
    const { person, proof, otherId } = await suspended(scene);
    const check = async () => {
      assert.deepEqual(await entries(scene, person.email), []);
      const { body } = await scene.org.exchange(proof);
      assert.deepEqual([body.user_id, body.tenant_code], [otherId, 'main']);
      assert.deepEqual((await scene.act('GET', `/list/useraclpolicy?user_id=${person.id}`)).body.items, []);
      assert.deepEqual(await entries(scene, person.email), [[otherId, 'active']]);
    };
    let isChecked = false;
    const once = async () => {
      if (!isChecked) await check();
      isChecked = true;
    };
    const send = () => scene.org.manage('DELETE', `/org/suspended-accounts/${person.id}`);
    return { send, already: 404, check: once };
  },
};

export const accountFlows: Flows = {
  'a password suspended by a provider': suspension,
  'two accounts made one by the mailed link': proveByMail,
  'two accounts made one by an org admin': merge,
  'the removal of an account with a suspended password': remove,
};
