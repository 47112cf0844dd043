/** Tests the rest in the stores of a person who was erased: searched for in everything that is stored. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFaultyPlatform } from '../testing/faults/faulty-platform.ts';
import { type Fixture, newEmail, random, setUpFixture } from '../testing/faults/fixture.ts';
import { clientAtProvider, providerForFlows } from '../testing/faults/flows/provider.ts';

const platform = await startFaultyPlatform();
after(() => platform.close());

interface ItemValue {
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
  item: ItemValue & { readonly sk: string; readonly target?: { readonly sk: string } },
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

/** The rows left by id where the report says so, or until they run out within a day. */
const staying = [
  'audit',
  'idempotency',
  'login-token',
  'mailed-code;reset-password',
  'mailed-code;verify-email',
  'person-job',
];

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
  assert.equal((await org.call('POST', '/password/forgot', { email: person.email })).status, 202);
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
    const started = await fixture.org.manage('POST', `/org/app-users/${person.id}/erase`, body);
    assert.equal(started.status, 202);
    await platform.settle();
    const { state } = (await fixture.org.manage('GET', `/org/person-jobs/${started.body.id}`)).body;
    assert.equal(state, 'done');
    assert.deepEqual(await partitionsWith(person.email), []);
    const left = await partitionsWith(person.id);
    assert.deepEqual(
      left.filter((pk) => !staying.includes(pk)),
      [],
    );
    const notes = (await fixture.act('GET', '/list/note')).body.items;
    assert.equal(notes.length, records === 'keep' ? 4 : 1);
    assert.deepEqual(await platform.drift(), []);
  });

/** The places where an org keeps data of a person, beside records and codes that run out. */
const planted = [
  'app-user',
  'app-user-identity',
  'chosen-workspace',
  'data#user',
  'disabled-app-user',
  'identity',
  'invitation',
  'invited',
  'membership',
  'person-file',
  'unverified-email',
  'verified-email',
];

/** Of apps, and of who may what in a workspace. */
const records = ['data#note', 'data#useraclpolicy'];

test('what each module holds of a person is found by its canary before an erasure, and gone after it', async () => {
  const fixture = await setUpFixture(platform);
  const { org } = fixture;
  const env = 'test';
  assert.equal((await org.manage('POST', '/api/create-note', note)).status, 201);
  const provider = await providerForFlows();
  const value = [{ issuer: provider.issuer, audiences: [clientAtProvider] }];
  assert.equal((await org.manage('PUT', '/org/settings', { group: 'auth', name: 'issuers', value })).status, 200);
  const person = await knownPerson(fixture);
  const word = `canary${random()}`;
  assert.equal((await org.as(person.token)('PUT', '/user/me', { fn: word })).status, 200);
  const switched = await org.as(person.token)('POST', '/user/switch-tenant', { tenant_id: person.tenantId });
  assert.equal(switched.status, 200);
  const words = [word, person.email];
  const ids = [person.id];
  for (const isVerified of [true, false]) {
    const email = newEmail();
    const { body: other } = await org.exchange(provider.token(email, isVerified));
    const path = `/org/app-users/${other.user_id}/merge`;
    const preview = await org.manage('POST', `${path}?dry_run=true`, { env, into: person.id });
    await platform.settle();
    const { seen } = (await org.manage('GET', `/org/person-jobs/${preview.body.id}`)).body;
    assert.equal((await org.manage('POST', path, { env, into: person.id, seen })).status, 202);
    await platform.settle();
    words.push(email);
    ids.push(other.user_id);
  }
  const disabled = await org.manage('POST', `/org/app-users/${person.id}/disable`, { env, reason: 'left' });
  assert.equal(disabled.status, 204);
  const partitions = async (texts: readonly string[]) =>
    [...new Set((await Promise.all(texts.map(partitionsWith))).flat())].sort();
  const before = await partitions([...words, ...ids]);
  const places = new Set(before.filter((pk) => !pk.startsWith('index#')).map((pk) => pk.replace(/;.*/, '')));
  const missing = planted.filter((pk) => !places.has(pk));
  assert.deepEqual(missing, [], 'the canary is to be in every place');
  const known = new Set([...planted, ...records, ...staying.map((pk) => pk.replace(/;.*/, ''))]);
  const undeclared = [...places].filter((pk) => !known.has(pk));
  assert.deepEqual(undeclared, [], 'say of a new place what becomes of it');
  const body = { env, records: 'delete_created', confirm: person.email };
  assert.equal((await org.manage('POST', `/org/app-users/${person.id}/erase`, body)).status, 202);
  await platform.settle();
  assert.deepEqual(await partitions(words), []);
  assert.deepEqual(
    (await partitions(ids)).filter((pk) => !staying.includes(pk)),
    [],
  );
});

test('an account whose password is suspended leaves nothing that names it', async () => {
  const { org } = await setUpFixture(platform);
  const provider = await providerForFlows();
  const value = [{ issuer: provider.issuer, audiences: [clientAtProvider] }];
  assert.equal((await org.manage('PUT', '/org/settings', { group: 'auth', name: 'issuers', value })).status, 200);
  const person = await org.signIn(newEmail());
  await org.exchange(provider.token(person.email));
  assert.ok((await partitionsWith(person.id)).includes('suspended-account'));
  const body = { env: 'test', records: 'keep', confirm: person.email };
  assert.equal((await org.manage('POST', `/org/app-users/${person.id}/erase`, body)).status, 202);
  await platform.settle();
  assert.deepEqual(
    (await partitionsWith(person.id)).filter((pk) => !staying.includes(pk)),
    [],
  );
});
