/** What is left in the stores of a person who was erased: looked for in everything that is stored. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFaultyPlatform } from '../../testing/faults/faulty-platform.ts';
import { type Fixture, newEmail, setUpFixture } from '../../testing/faults/fixture.ts';

const platform = await startFaultyPlatform();
after(() => platform.close());

interface Place {
  readonly pk: string;
  readonly value: string;
}

/** The partitions in which something contains the text, in any scope of any space. */
async function partitionsWith(text: string): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const { maintenance } of Object.values(platform.stores))
    for (const { name } of await maintenance.scopes(undefined, 10_000))
      for (const item of await maintenance.scan(name, undefined, 100_000))
        if (names(item, text))
          found.add(item.pk.replace(/^org#[^;]+;data#/, 'data#').replace(/^person-file;.*/, 'person-file'));
  return [...found].sort();
}

function names(
  item: Place & { readonly sk: string; readonly target?: { readonly sk: string } },
  text: string,
): boolean {
  return [item.pk, item.sk, item.value, item.target?.sk ?? ''].some((part) => part.includes(text));
}

const note = {
  entityName: 'note',
  UpdateParams: [
    { name: 'title', colType: 'string' },
    { name: 'owner_id', colType: 'guid', required: false },
    { name: 'reader', colType: 'guid', required: false, lookup: { entity: 'user', onDelete: 'setnull' } },
  ],
  ownerIndexes: [
    { ownerFieldName: 'owner_id', gpkTemplate: 'org#{org};data#note;owner#{owner_id}', gskTemplate: '{id}' },
  ],
};

/** A person of whom there is everything that an org keeps of a person. */
async function knownPerson({ org, act }: Fixture) {
  const person = await org.signIn(newEmail());
  const admin = (await act('GET', '/list/aclpolicy?name=adminacl')).body.items[0];
  await act('POST', '/create/useraclpolicy', { user_id: person.id, acl_policy_id: admin?.id });
  const own = org.as(person.token);
  for (let made = 0; made < 3; made++)
    assert.equal((await own('POST', '/create/note', { title: 'mine', reader: person.id })).status, 201);
  assert.equal((await act('POST', '/create/note', { title: 'other', reader: person.id })).status, 201);
  assert.equal((await act('POST', '/user/invitations', { email: person.email })).status, 201);
  assert.equal((await org.visit('POST', '/password/forgot', { email: person.email })).status, 202);
  assert.equal((await org.logIn(person.email)).status, 200);
  const exported = await org.manage('POST', `/org/app-users/${person.id}/export`, { env: 'test' });
  assert.equal(exported.status, 202);
  await platform.settle();
  return person;
}

for (const records of ['keep', 'delete_owned', 'delete_created'])
  test(`nothing in the stores has the address of an erased person, and the id stays where the report says (${records})`, async () => {
    const fixture = await setUpFixture(platform);
    assert.equal((await fixture.org.manage('POST', '/api/create-note', note)).status, 201);
    const person = await knownPerson(fixture);
    const before = await partitionsWith(person.email);
    for (const pk of ['app-user', 'person-file', 'invitation']) assert.ok(before.includes(pk), `${pk} of ${before}`);
    const body = { env: 'test', records, confirm: person.email };
    const begun = await fixture.org.manage('POST', `/org/app-users/${person.id}/erase`, body);
    assert.equal(begun.status, 202);
    await platform.settle();
    const { state } = (await fixture.org.manage('GET', `/org/person-jobs/${begun.body.id}`)).body;
    assert.equal(state, 'done');
    assert.deepEqual(await partitionsWith(person.email), []);
    const left = await partitionsWith(person.id);
    // Codes and tokens that were given out name the id until they expire, within a day.
    const allowed = [
      'audit',
      'idempotency',
      'login-token',
      'mailed-code;reset-password',
      'mailed-code;verify-email',
      'person-job',
    ];
    assert.deepEqual(
      left.filter((pk) => !allowed.includes(pk)),
      [],
    );
    const notes = (await fixture.act('GET', '/list/note')).body.items;
    assert.equal(notes.length, records === 'keep' ? 4 : 1);
    assert.deepEqual(await platform.drift(), []);
  });
