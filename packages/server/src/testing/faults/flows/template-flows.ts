/** The template of an org is applied to its workspaces: shown, started, cancelled. */
import assert from 'node:assert/strict';
import { type Fixture, random } from '../fixture.ts';
import type { Flow, Flows } from './flow.ts';

const path = '/org/workspace-template/applications';
const main = { workspaces: ['main'] };

/** A template that no workspace has yet, and no application under way. */
async function newTemplate({ org, platform }: Fixture): Promise<string> {
  const name = `flow_${random()}`;
  const statements = [{ Effect: 'Allow', Action: ['getorder'], Resource: ['*'] }];
  const value = { policies: [{ name, statements }], groups: [] };
  const setting = { group: 'tenancy', name: 'workspace_templates', value };
  assert.equal((await org.manage('PUT', '/org/settings', setting)).status, 200);
  await platform.settle();
  const { items } = (await org.manage('GET', path)).body;
  for (const { id, state } of items)
    if (state === 'previewing' || state === 'running')
      assert.equal((await org.manage('POST', `${path}/${id}/cancel`)).status, 200);
  return name;
}

async function previewed(fixture: Fixture): Promise<string> {
  const { id } = (await fixture.org.manage('POST', path, main)).body;
  await fixture.platform.settle();
  return id;
}

const preview: Flow = {
  route: 'POST /org/workspace-template/applications',
  prepare: async (fixture) => {
    const { org, platform } = fixture;
    await newTemplate(fixture);
    const check = async () => {
      await platform.settle();
      assert.equal((await org.manage('GET', path)).body.items[0]?.state, 'previewed');
    };
    return { send: () => org.manage('POST', path, main), already: 409, check };
  },
};

const start: Flow = {
  route: 'POST /org/workspace-template/applications/:id/start',
  prepare: async (fixture) => {
    const { org, platform, act } = fixture;
    const name = await newTemplate(fixture);
    const id = await previewed(fixture);
    const check = async () => {
      await platform.settle();
      assert.equal((await org.manage('GET', `${path}/${id}`)).body.state, 'done');
      const { items } = (await act('GET', `/list/aclpolicy?name=${name}`)).body;
      assert.equal(items.length, 1);
    };
    const send = () => org.manage('POST', `${path}/${id}/start`, { accept_widening: true });
    return { send, already: 409, check };
  },
};

const cancel: Flow = {
  route: 'POST /org/workspace-template/applications/:id/cancel',
  prepare: async (fixture) => {
    const { org } = fixture;
    await newTemplate(fixture);
    const id = await previewed(fixture);
    const check = async () => assert.equal((await org.manage('GET', `${path}/${id}`)).body.state, 'cancelled');
    return { send: () => org.manage('POST', `${path}/${id}/cancel`), already: 409, check };
  },
};

export const templateFlows: Flows = {
  'a preview of a template': preview,
  'a template that is applied': start,
  'an application that is cancelled': cancel,
};
