/** Secrets for other systems. */
import assert from 'node:assert/strict';
import { type Fixture, random } from '../fixture.ts';
import type { Flow, Flows } from './flow.ts';

const path = '/secrets/flow';

function put({ org }: Fixture, host: string) {
  return org.manage('PUT', path, { value: random(), hosts: [host] });
}

/** The hosts of the secret, if there is one. */
async function shown({ org }: Fixture): Promise<readonly unknown[]> {
  const { items } = (await org.manage('GET', '/secrets')).body;
  return items.filter(({ name }) => name === 'flow').map((secret) => (secret as { readonly hosts?: unknown }).hosts);
}

const set: Flow = {
  route: 'PUT /secrets/:name',
  prepare: async (fixture) => {
    await fixture.org.manage('DELETE', path);
    const host = `${random()}.example`;
    return { send: () => put(fixture, host), check: async () => assert.deepEqual(await shown(fixture), [[host]]) };
  },
};

const remove: Flow = {
  route: 'DELETE /secrets/:name',
  prepare: async (fixture) => {
    await put(fixture, 'old.example');
    const check = async () => assert.deepEqual(await shown(fixture), []);
    return { send: () => fixture.org.manage('DELETE', path), already: 404, check };
  },
};

export const secretFlows: Flows = { 'a secret': set, 'the removal of a secret': remove };
