/** All that there is of one person: collected into a file, and erased. */
import assert from 'node:assert/strict';
import { type Fixture, newEmail } from '../fixture.ts';
import type { Flow, Flows } from './flow.ts';

async function newPerson({ org, act }: Fixture) {
  const person = await org.signIn(newEmail());
  const title = person.id;
  const { body } = await act('POST', '/create/order', { title, code: person.id });
  return { person, orderId: body.id };
}

/** The jobs about the person are done; the id of the last one. */
async function jobAbout({ org, platform }: Fixture, id: string) {
  await platform.settle();
  const { items } = (await org.manage('GET', `/org/person-jobs?user_id=${id}`)).body;
  assert.deepEqual([...new Set(items.map(({ state }) => state))], ['done']);
  return items[0]?.id ?? '';
}

const exportPerson: Flow = {
  route: 'POST /org/app-users/:id/export',
  prepare: async (fixture) => {
    const { person } = await newPerson(fixture);
    const check = async () => {
      const job = await jobAbout(fixture, person.id);
      const lines = (await fixture.org.download(`/org/person-jobs/${job}/file`)).trim().split('\n');
      const kinds = lines.map((line) => JSON.parse(line).kind);
      assert.deepEqual(kinds, ['export', 'account', 'identity', 'membership', 'end']);
    };
    const send = () => fixture.org.manage('POST', `/org/app-users/${person.id}/export`, { env: 'test' });
    return { send, check };
  },
};

const erasePerson: Flow = {
  route: 'POST /org/app-users/:id/erase',
  prepare: async (fixture) => {
    const { person, orderId } = await newPerson(fixture);
    const check = async () => {
      await jobAbout(fixture, person.id);
      assert.deepEqual((await fixture.act('GET', `/list/user?email=${person.email}`)).body.items, []);
      assert.equal((await fixture.org.as(person.token)('GET', '/user/me')).status, 401);
      assert.equal((await fixture.act('GET', `/item/order/${orderId}`)).status, 200);
    };
    const body = { env: 'test', records: 'delete_created', confirm: person.email };
    const send = () => fixture.org.manage('POST', `/org/app-users/${person.id}/erase`, body);
    return { send, already: 404, check };
  },
};

const mergePersons: Flow = {
  route: 'POST /org/app-users/:id/merge',
  prepare: async (fixture) => {
    const { org, act, platform } = fixture;
    const [{ person }, { person: other }] = [await newPerson(fixture), await newPerson(fixture)];
    const group = (await act('GET', '/list/group?name=default-admins')).body.items[0];
    await act('POST', '/create/usergroup', { user_id: person.id, group_id: group?.id });
    const path = `/org/app-users/${person.id}/merge`;
    const preview = await org.manage('POST', `${path}?dry_run=true`, { env: 'test', into: other.id });
    await platform.settle();
    const { seen } = (await org.manage('GET', `/org/person-jobs/${preview.body.id}`)).body;
    const check = async () => {
      await jobAbout(fixture, person.id);
      assert.deepEqual((await act('GET', `/list/user?email=${person.email}`)).body.items, []);
      assert.equal((await act('GET', `/list/usergroup?user_id=${other.id}`)).body.items.length, 1);
      assert.equal((await org.as(person.token)('GET', '/user/me')).status, 401);
      assert.equal((await org.signIn(other.email)).id, other.id);
    };
    const send = () => org.manage('POST', path, { env: 'test', into: other.id, seen });
    return { send, already: 409, check };
  },
};

export const personalDataFlows: Flows = {
  'the data of a person collected into a file': exportPerson,
  'a person erased': erasePerson,
  'two accounts of a person merged': mergePersons,
};
