/** Promotion of configuration from test to production, and back. */
import assert from 'node:assert/strict';
import { type Fixture, type OrgCalls, random } from '../fixture.ts';
import type { Flow, Flows } from './flow.ts';

const provision: Flow = {
  route: 'POST /user/provision-prod',
  prepare: async ({ newOrg }) => {
    const org = await newOrg();
    const check = async () => assert.equal((await org.manage('GET', '/deploy/diff')).status, 200);
    return { send: () => org.manage('POST', '/user/provision-prod'), already: 409, check };
  },
};

const publish: Flow = {
  route: 'POST /deploy/publish',
  prepare: async (fixture) => {
    const org = await deployingOrg(fixture);
    const name = await newEntity(org);
    const check = async () => assert.equal((await staged(org)).filter((one) => one === name).length, 1);
    return { send: () => publishOne(org, name), check };
  },
};

const withdrawAll: Flow = {
  route: 'DELETE /deploy/staged',
  prepare: async (fixture) => {
    const org = await deployingOrg(fixture);
    await publishOne(org, await newEntity(org));
    const check = async () => assert.deepEqual(await staged(org), []);
    return { send: () => org.manage('DELETE', '/deploy/staged'), already: 404, check };
  },
};

const withdrawOne: Flow = {
  route: 'DELETE /deploy/staged/:kind/:name',
  prepare: async (fixture) => {
    const org = await deployingOrg(fixture);
    const name = await newEntity(org);
    await publishOne(org, name);
    const check = async () => assert.ok(!(await staged(org)).includes(name));
    return { send: () => org.manage('DELETE', `/deploy/staged/entity/${name}`), already: 404, check };
  },
};

const activate: Flow = {
  route: 'POST /deploy/activate',
  prepare: async (fixture) => {
    const org = await deployingOrg(fixture);
    const name = await newEntity(org);
    await publishOne(org, name);
    const check = async () => {
      assert.ok(await isLive(org, name));
      assert.deepEqual(await staged(org), []);
      assert.equal((await releasesWith(org, name)).length, 1);
    };
    return { send: () => org.manage('POST', '/deploy/activate', {}), already: 409, check };
  },
};

const rollBack: Flow = {
  route: 'POST /deploy/rollback',
  prepare: async (fixture) => {
    const org = await deployingOrg(fixture);
    const before = await activateOne(org, await newEntity(org));
    const name = await newEntity(org);
    await activateOne(org, name);
    const check = async () => assert.ok(!(await isLive(org, name)));
    return { send: () => org.manage('POST', '/deploy/rollback', { version: before }), already: 409, check };
  },
};

const removeRetired: Flow = {
  route: 'DELETE /deploy/retired/:name',
  prepare: async (fixture) => {
    const org = await deployingOrg(fixture);
    const name = await newEntity(org);
    await activateOne(org, name);
    assert.equal((await org.manage('DELETE', `/api/entity?entityname=${name}`)).status, 204);
    await activateOne(org, name);
    assert.ok((await retired(org)).includes(name));
    const check = async () => assert.ok(!(await retired(org)).includes(name));
    return { send: () => org.manage('DELETE', `/deploy/retired/${name}`), already: 404, check };
  },
};

const importArchive: Flow = {
  route: 'POST /deploy/import',
  prepare: async (fixture) => {
    const org = await deployingOrg(fixture);
    const name = await newEntity(org);
    const archive = await org.download('/deploy/export');
    assert.equal((await org.manage('DELETE', `/api/entity?entityname=${name}`)).status, 204);
    await fixture.platform.settle();
    const isThere = async () => (await org.manage('GET', `/api/entity?entityName=${name}`)).status;
    assert.equal(await isThere(), 404);
    const headers = { 'content-type': 'application/x-tar' };
    const bring = (query: string) => org.manage('POST', `/deploy/import${query}`, archive, headers);
    const { base } = (await bring('')).body;
    const check = async () => assert.equal(await isThere(), 200);
    return { send: () => bring(`?base=${base}`), already: 412, check };
  },
};

const orgs = new WeakMap<Fixture, Promise<OrgCalls>>();

/** An org of its own, one for all attempts, with production. */
function deployingOrg(fixture: Fixture): Promise<OrgCalls> {
  const org = orgs.get(fixture) ?? provisionedOrg(fixture);
  orgs.set(fixture, org);
  return org;
}

async function provisionedOrg({ newOrg }: Fixture): Promise<OrgCalls> {
  const org = await newOrg();
  assert.equal((await org.manage('POST', '/user/provision-prod')).status, 200);
  return org;
}

async function newEntity(org: OrgCalls): Promise<string> {
  const name = `e${random()}`;
  const body = { entityName: name, UpdateParams: [{ name: 'title', colType: 'string' }] };
  assert.equal((await org.manage('POST', `/api/create-${name}`, body)).status, 201);
  return name;
}

function publishOne(org: OrgCalls, name: string) {
  return org.manage('POST', '/deploy/publish', { items: [{ kind: 'entity', name }] });
}

async function activateOne(org: OrgCalls, name: string): Promise<number> {
  assert.equal((await publishOne(org, name)).status, 201);
  const { status, body } = await org.manage('POST', '/deploy/activate', {});
  assert.equal(status, 200);
  return body.version;
}

async function staged(org: OrgCalls): Promise<readonly string[]> {
  return (await org.manage('GET', '/deploy/staged')).body.items.map(({ name }) => name);
}

async function retired(org: OrgCalls): Promise<readonly string[]> {
  return (await org.manage('GET', '/deploy/retired')).body.items.map(({ name }) => name);
}

async function isLive(org: OrgCalls, name: string): Promise<boolean> {
  return (await org.manage('GET', `/api/entity?entityName=${name}&env=prod`)).status === 200;
}

/** The releases of late that have brought the entity. */
async function releasesWith(org: OrgCalls, name: string): Promise<readonly number[]> {
  const found: number[] = [];
  for (const { version } of (await org.manage('GET', '/deploy/history?pagesize=3')).body.items) {
    const { body } = await org.manage('GET', `/deploy/history/${version}`);
    if (JSON.stringify(body).includes(name)) found.push(version);
  }
  return found;
}

export const deployFlows: Flows = {
  'the provision of production': provision,
  'the import of a configuration': importArchive,
  'a publication': publish,
  'the withdrawal of all that is staged': withdrawAll,
  'the withdrawal of an item': withdrawOne,
  'an activation': activate,
  'a rollback': rollBack,
  'the removal of what a retired entity keeps': removeRetired,
};
