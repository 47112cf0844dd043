/** Commands of a builder on config items, by kind and name. */
import assert from 'node:assert/strict';
import { type OrgCalls, random } from '../fixture.ts';
import type { Flow, Flows } from './flow.ts';

const make: Flow = {
  route: 'POST /config/:kind',
  prepare: async ({ org }) => {
    const name = `c${random()}`;
    const check = async () => assert.equal(await descriptionOf(org, name), 'one');
    return {
      send: () => org.manage('POST', '/config/crew', { name, content: crew(name, 'one') }),
      already: 409,
      check,
    };
  },
};

const replace: Flow = {
  route: 'PUT /config/:kind/:name',
  prepare: async ({ org }) => {
    const name = await madeItem(org);
    const check = async () => assert.equal(await descriptionOf(org, name), 'two');
    return { send: () => org.manage('PUT', `/config/crew/${name}`, crew(name, 'two')), check };
  },
};

const restore: Flow = {
  route: 'POST /config/:kind/:name/restore',
  prepare: async ({ org }) => {
    const name = await madeItem(org);
    const { version } = (await org.manage('GET', `/config/crew/${name}`)).body;
    assert.equal((await org.manage('PUT', `/config/crew/${name}`, crew(name, 'two'))).status, 200);
    const check = async () => assert.equal(await descriptionOf(org, name), 'one');
    return { send: () => org.manage('POST', `/config/crew/${name}/restore`, { version }), check };
  },
};

const remove: Flow = {
  route: 'DELETE /config/:kind/:name',
  prepare: async ({ org }) => {
    const name = await madeItem(org);
    const check = async () => assert.equal((await org.manage('GET', `/config/crew/${name}`)).status, 404);
    return { send: () => org.manage('DELETE', `/config/crew/${name}`), already: 404, check };
  },
};

function crew(name: string, description: string) {
  return { name, description, status: 'active', agents: [{ name: 'a', prompt: 'Say hello.', model: 'small' }] };
}

async function madeItem(org: OrgCalls): Promise<string> {
  const name = `c${random()}`;
  const made = await org.manage('POST', '/config/crew', { name, content: crew(name, 'one') });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return name;
}

async function descriptionOf(org: OrgCalls, name: string): Promise<string | undefined> {
  const { body } = await org.manage('GET', `/config/crew/${name}`);
  return body.content?.description;
}

export const itemFlows: Flows = {
  'a config item': make,
  'a change of a config item': replace,
  'an earlier version of a config item brought back': restore,
  'the removal of a config item': remove,
};
