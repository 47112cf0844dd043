/** What a builder does to the configuration of an org, and the jobs that follow from it. */
import assert from 'node:assert/strict';
import { type Fixture, random } from '../fixture.ts';
import type { Flow, Flows } from './flow.ts';

const define: Flow = {
  route: 'POST /api/:apiname',
  prepare: async ({ org, act }) => {
    const [name, key] = [`e${random()}`, random()];
    const size = { name: 'size', colType: 'formula', formula: { cel: 'size(title)', type: 'integer' } };
    const checks = [{ cel: 'size(title) > 0', message: 'a title is not empty' }];
    const templates = { gpkTemplate: `org#{org};${name}#{keeper}`, gskTemplate: '{id}' };
    const ownerIndexes = [{ ownerFieldName: 'keeper', ...templates, default: 'none' }];
    const links = { name: 'links', colType: 'array', items: { colType: 'guid', lookup: { entity: name } } };
    const body = {
      entityName: name,
      UpdateParams: [{ name: 'title' }, { name: 'keeper' }, size, links],
      checks,
      ownerIndexes,
      indexes: [{ fields: ['title', '-keeper'] }],
    };
    const send = () => org.manage('POST', `/api/create-${name}`, body, { 'idempotency-key': key });
    const check = async () => assert.equal((await act('POST', `/create/${name}`, { title: 'a' })).status, 201);
    return { send, check };
  },
};

const change: Flow = {
  route: 'PUT /api/:apiname',
  prepare: async (fixture) => {
    const { org, act } = fixture;
    const name = await filledEntity(fixture);
    const body = { entityName: name, UpdateParams: [{ name: 'heading', renamedFrom: 'title', index: true }] };
    const check = async () => {
      assert.equal((await act('GET', `/list/${name}?heading=t1&sortby=title`)).body.items.length, 1);
      assert.equal((await act('GET', `/count/${name}?title=t0`)).body.count, 1);
    };
    return { send: () => org.manage('PUT', `/api/create-${name}`, body), check };
  },
};

const convert: Flow = {
  route: 'PUT /api/:apiname',
  prepare: async (fixture) => {
    const { org, act } = fixture;
    const name = await filledEntity(fixture);
    const body = { entityName: name, UpdateParams: [{ name: 'title', colType: 'integer', convert: 'size(title)' }] };
    const check = async () => {
      const { items } = (await act('GET', `/list/${name}`)).body;
      assert.deepEqual(
        items.map((item: { readonly title: unknown }) => item.title),
        [2, 2, 2],
      );
    };
    return { send: () => org.manage('PUT', `/api/create-${name}`, body), check };
  },
};

const cancelBuild: Flow = {
  route: 'DELETE /jobs/:id',
  prepare: async (fixture) => {
    const { org, act } = fixture;
    const name = await filledEntity(fixture);
    assert.equal((await act('POST', `/create/${name}`, { title: 't0' })).status, 201);
    // It cannot be built, so its job is there until it is cancelled.
    const UniqueIndexes = [{ indexName: 'by_title', fields: ['title'] }];
    assert.equal((await org.manage('PUT', `/api/create-${name}`, { UniqueIndexes })).status, 200);
    const jobs = async () => {
      const { items } = (await org.manage('GET', '/jobs?pagesize=50')).body;
      return items.filter(({ entity }) => entity === name);
    };
    const [job] = await jobs();
    const check = async () => {
      assert.deepEqual(await jobs(), []);
      assert.equal((await act('POST', `/create/${name}`, { title: 't1' })).status, 201);
    };
    return { send: () => org.manage('DELETE', `/jobs/${job?.id}`), already: 404, check };
  },
};

const remove: Flow = {
  route: 'DELETE /api/entity',
  prepare: async (fixture) => {
    const { org, act } = fixture;
    const name = await filledEntity(fixture);
    const check = async () => {
      assert.equal((await act('GET', `/list/${name}`)).status, 404);
      assert.equal((await org.manage('POST', `/api/create-${name}`, plain(name))).status, 201);
      assert.deepEqual((await act('GET', `/list/${name}`)).body.items, []);
      assert.equal((await act('GET', `/count/${name}`)).body.count, 0);
      assert.equal((await org.manage('DELETE', `/api/entity?entityname=${name}`)).status, 204);
      await fixture.platform.settle();
    };
    return { send: () => org.manage('DELETE', `/api/entity?entityname=${name}`), already: 404, check };
  },
};

let settings = 0;

const setting: Flow = {
  route: 'PUT /org/settings',
  prepare: async ({ org }) => {
    // Never the value that it has: one that stays as it is stores nothing.
    settings += 1;
    const value = 100 + (settings % 200);
    const check = async () => {
      const { items } = (await org.manage('GET', '/org/settings?group=acl')).body;
      assert.equal(items.find(({ name }) => name === 'cache_seconds')?.value, value);
    };
    return { send: () => org.manage('PUT', '/org/settings', { group: 'acl', name: 'cache_seconds', value }), check };
  },
};

function plain(entityName: string) {
  return { entityName, UpdateParams: [{ name: 'title', colType: 'string' }] };
}

async function filledEntity({ org, act }: Fixture): Promise<string> {
  const name = `e${random()}`;
  assert.equal((await org.manage('POST', `/api/create-${name}`, plain(name))).status, 201);
  for (const title of ['t0', 't1', 't2']) assert.equal((await act('POST', `/create/${name}`, { title })).status, 201);
  return name;
}

export const configFlows: Flows = {
  'a definition': define,
  'a change of a definition with its index job': change,
  'a change of type with the job that writes its values': convert,
  'the end of the build of an index': cancelBuild,
  'the removal of an entity with its purge': remove,
  'a setting': setting,
};
