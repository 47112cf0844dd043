import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyOf, linkedCharactersMax, readSimulation, type Simulation, searchOf } from './simulation.ts';

const here = { env: 'test', workspace: 'main' } as const;

test('a simulation is asked once it says who and what', () => {
  const missing = (simulation: Simulation, where: Parameters<typeof bodyOf>[1] = here) => {
    const read = bodyOf(simulation, where);
    return 'missing' in read ? read.missing : undefined;
  };
  assert.match(missing({}) ?? '', /Choose a user/);
  assert.match(missing({}, { ...here, workspace: undefined }) ?? '', /Choose a workspace/);
  assert.match(missing({ member: 'u', action: 'getorder' }) ?? '', /Say what/);
  assert.deepEqual(bodyOf({ member: 'u', action: 'getorder', resource: '/item/order/1' }, here), {
    body: {
      env: 'test',
      tenant_code: 'main',
      user_id: 'u',
      action: 'getorder',
      resource: '/item/order/1',
      context: {},
    },
  });
});

test('a draft takes its user from the form, and the record and context as they are typed', () => {
  const draft = '[{"Effect": "Allow"}]';
  const typed = { member: 'u', draft, method: 'PUT', path: '/update/order/1', fields: '{"a": 1}', body: '{"b": 2}' };
  const read = bodyOf({ ...typed, claims: '{"team": "x"}', userEmail: 'a@b', ip: '10.0.0.1' }, here);
  assert.deepEqual(read, {
    body: {
      env: 'test',
      tenant_code: 'main',
      statements: [{ Effect: 'Allow' }],
      method: 'PUT',
      path: '/update/order/1',
      record: { a: 1 },
      context: { request: { ip: '10.0.0.1', body: { b: 2 } }, jwt: { team: 'x' }, user: { email: 'a@b' } },
    },
  });
});

test('what is no JSON yet is said where it is typed, and nothing is asked', () => {
  const read = bodyOf({ member: 'u', draft: '{}', body: '[', action: 'a', resource: '/' }, here);
  assert.deepEqual(Object.keys('mistakes' in read ? read.mistakes : {}), ['draft', 'body']);
});

test('an address has what is typed, unless it is too long', () => {
  const typed = { draft: '[]', action: 'getorder', resource: '/item/order/ä' };
  assert.deepEqual(readSimulation(searchOf(typed) ?? {}), typed);
  assert.equal(searchOf({ draft: 'x'.repeat(linkedCharactersMax) }), undefined);
  assert.deepEqual(readSimulation({ member: 7, draft: '', other: 'x' }), {});
});
