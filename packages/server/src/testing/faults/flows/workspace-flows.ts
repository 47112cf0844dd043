/** The way workspaces are made, changed, left and removed, and how people are asked into them. */
import assert from 'node:assert/strict';
import { isOfAudit } from '../../../audit/audit-entry.ts';
import { type Fixture, newEmail, type Person, random } from '../fixture.ts';
import type { Attempt, Flow, Flows } from './flow.ts';

const make: Flow = {
  route: 'POST /app/:org/user/workspace',
  prepare: async ({ org, founder }) => {
    const code = `w${random()}`;
    const check = async () => {
      const inside = (await org.exchange(founder.token)).body;
      assert.equal(inside.tenant_code, code);
      assert.equal((await org.as(inside.token)('GET', '/list/aclpolicy')).body.items.length, 2);
    };
    return { send: () => org.as(founder.token)('POST', '/user/workspace', { name: 'W', code }), already: 409, check };
  },
};

const makeByBuilder: Flow = {
  route: 'POST /org/workspaces',
  prepare: async ({ org }) => {
    const code = `w${random()}`;
    const check = async () => {
      const { state, members } = (await org.manage('GET', `/org/workspaces/${code}`)).body;
      assert.deepEqual([state, members], ['ready', 0]);
    };
    return { send: () => org.manage('POST', '/org/workspaces', { env: 'test', name: 'W', code }), already: 409, check };
  },
};

const rename: Flow = {
  route: 'PUT /app/:org/user/workspace',
  prepare: async ({ org, act, founder }) => {
    const name = random();
    const check = async () => {
      const { items } = (await org.as(founder.token)('GET', '/user/tenants')).body;
      assert.equal(items.find(({ current }) => current)?.name, name);
    };
    return { send: () => act('PUT', '/user/workspace', { name }), check };
  },
};

const switchTo: Flow = {
  route: 'POST /app/:org/user/switch-tenant',
  prepare: async ({ org, founder }) => {
    await inWorkspace(org, founder);
    const check = async () => assert.equal((await org.exchange(founder.token)).body.tenant_code, 'main');
    return { send: () => org.as(founder.token)('POST', '/user/switch-tenant', { tenant_code: 'main' }), check };
  },
};

const leave: Flow = {
  route: 'POST /app/:org/user/leave',
  prepare: async (fixture) => {
    const { org, act } = fixture;
    const guest = await org.signIn();
    const check = async () => {
      assert.equal((await org.as(guest.token)('GET', '/list/order')).status, 401);
      assert.deepEqual((await act('GET', `/list/user?email=${guest.email}`)).body.items, []);
    };
    // Who has left is known no more by the token in hand.
    return { send: () => org.as(guest.token)('POST', '/user/leave', { tenant_code: 'main' }), already: 401, check };
  },
};

const remove: Flow = {
  route: 'DELETE /app/:org/user/workspace',
  prepare: async ({ org, founder, platform }) => {
    const { token, code } = await inWorkspace(org, founder);
    const check = async () => {
      assert.equal((await org.as(token)('GET', '/list/user')).status, 401);
      const { items } = (await org.as(founder.token)('GET', '/user/tenants')).body;
      assert.ok(items.every((item) => item.code !== code));
      const left = await platform.stores.test.maintenance.scan(`org#${org.code}-${code}`, undefined, 100);
      assert.deepEqual(
        left.filter((item) => item.due?.queue !== 'expire' && !isOfAudit(item)),
        [],
      );
    };
    return { send: () => org.as(token)('DELETE', '/user/workspace', { code }), already: 401, check };
  },
};

const resend: Flow = {
  route: 'POST /app/:org/user/invitations/:id/resend',
  prepare: async (fixture) => {
    const email = newEmail();
    const { id } = (await fixture.act('POST', '/user/invitations', { email })).body;
    const check = async () => assert.equal((await open(fixture, email)).length, 1);
    return { send: () => fixture.act('POST', `/user/invitations/${id}/resend`), check };
  },
};

const withdraw: Flow = {
  route: 'DELETE /app/:org/user/invitations/:id',
  prepare: async (fixture) => {
    const email = newEmail();
    const { id } = (await fixture.act('POST', '/user/invitations', { email })).body;
    const check = async () => assert.deepEqual(await open(fixture, email), []);
    return { send: () => fixture.act('DELETE', `/user/invitations/${id}`), already: 404, check };
  },
};

const ofOrg = '/org/workspaces/main/invitations';

const resendOfOrg: Flow = {
  route: 'POST /org/workspaces/:tenant_code/invitations/:id/resend',
  prepare: async (fixture) => {
    const email = newEmail();
    const { id } = (await fixture.act('POST', '/user/invitations', { email })).body;
    const check = async () => assert.equal((await open(fixture, email)).length, 1);
    return { send: () => fixture.org.manage('POST', `${ofOrg}/${id}/resend`, { env: 'test' }), check };
  },
};

const withdrawOfOrg: Flow = {
  route: 'DELETE /org/workspaces/:tenant_code/invitations/:id',
  prepare: async (fixture) => {
    const email = newEmail();
    const { id } = (await fixture.act('POST', '/user/invitations', { email })).body;
    const check = async () => assert.deepEqual(await open(fixture, email), []);
    return { send: () => fixture.org.manage('DELETE', `${ofOrg}/${id}`), already: 404, check };
  },
};

const reason = 'reported by other orgs';

const suspend: Flow = {
  route: 'POST /org/workspaces/:tenant_code/suspend',
  prepare: async ({ org, founder }) => {
    const { token, code } = await inWorkspace(org, founder);
    const check = async () => {
      assert.equal((await org.as(token)('GET', '/list/user')).body.code, 'workspace_suspended');
      const { items } = (await org.manage('GET', `/org/workspaces?state=suspended&prefix=${code}`)).body;
      assert.deepEqual(
        items.map((item) => item.code),
        [code],
      );
    };
    const send = () => org.manage('POST', `/org/workspaces/${code}/suspend`, { env: 'test', reason });
    return { send, already: 409, check };
  },
};

const resume: Flow = {
  route: 'POST /org/workspaces/:tenant_code/resume',
  prepare: async ({ org, founder }) => {
    const { token, code } = await inWorkspace(org, founder);
    const body = { env: 'test', reason };
    assert.equal((await org.manage('POST', `/org/workspaces/${code}/suspend`, body)).status, 204);
    const check = async () => {
      assert.equal((await org.as(token)('GET', '/list/user')).status, 200);
      assert.deepEqual((await org.manage('GET', `/org/workspaces?state=suspended&prefix=${code}`)).body.items, []);
    };
    return { send: () => org.manage('POST', `/org/workspaces/${code}/resume`, body), already: 409, check };
  },
};

const accept: Flow = {
  route: 'POST /app/:org/user/acceptinvitation',
  prepare: async (fixture): Promise<Attempt> => {
    const { org, founder } = fixture;
    const host = await inWorkspace(org, founder);
    const guest = await guestOf(fixture);
    const { body } = await org.as(host.token)('POST', '/user/invitations', { email: guest.email });
    const check = async () => {
      const inside = (await org.exchange(guest.token)).body;
      assert.equal(inside.tenant_code, host.code);
      assert.equal((await org.as(host.token)('GET', `/list/user?email=${guest.email}`)).body.items.length, 1);
      assert.deepEqual((await org.as(host.token)('GET', '/user/invitations')).body.items, []);
    };
    const send = () => org.as(guest.token)('POST', '/user/acceptinvitation', { code: body.code });
    return { send, already: 404, check };
  },
};

const guests = new WeakMap<Fixture, Promise<Person>>();

/** One for all attempts: to sign up takes as long as all the rest. */
function guestOf(fixture: Fixture): Promise<Person> {
  const guest = guests.get(fixture) ?? fixture.org.signIn();
  guests.set(fixture, guest);
  return guest;
}

async function open({ act }: Fixture, email: string) {
  return (await act('GET', '/user/invitations')).body.items.filter((item) => item.email === email);
}

/** A workspace of the person's own, with a token of it. */
async function inWorkspace(org: Fixture['org'], person: Person) {
  const code = `w${random()}`;
  assert.equal((await org.as(person.token)('POST', '/user/workspace', { name: 'W', code })).status, 201);
  const { token } = (await org.exchange(person.token)).body;
  return { code, token };
}

export const workspaceFlows: Flows = {
  'a workspace': make,
  'a workspace made by a builder': makeByBuilder,
  'another name of a workspace': rename,
  'a switch to another workspace': switchTo,
  'leaving a workspace': leave,
  'the removal of a workspace with its purge': remove,
  'an invitation sent again': resend,
  'an invitation withdrawn': withdraw,
  'an invitation sent again by the org': resendOfOrg,
  'an invitation withdrawn by the org': withdrawOfOrg,
  'an invitation accepted': accept,
  'a workspace suspended': suspend,
  'a suspended workspace resumed': resume,
};
