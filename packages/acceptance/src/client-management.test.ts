/** The management client, and the types that are made from what it reads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApp, FreeholdError, VersionConflictError } from '@freehold/client';
import { createManagement } from '@freehold/client/management';
import { generateTypes } from '@freehold/client/types';
import { everyType, everyValue } from './every-type.ts';
import { newEmail, newOrgCode, password } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const { app: url, management: managementUrl } = await platformForTests();
const stranger = createManagement({ url: managementUrl });
const org_code = newOrgCode();
const { token = '', org } = await stranger.call('signUp', {
  body: { email: newEmail('builder'), password, name: 'Bea', org_name: 'Org', org_code },
});
const management = createManagement({ url: managementUrl, token, org: org_code });
const clientId = org.environments.test.client_id;

test('a program of a builder defines an entity, reads it and changes it at the version that it has read', async () => {
  await management.call('defineEntity', {
    params: { apiname: 'create-thing' },
    body: everyType,
  });
  const read = await management.callWhole('readConfigItem', { params: { kind: 'entity', name: 'thing' } });
  assert.equal(read.body.name, 'thing');
  const tag = read.headers.get('etag') ?? '';
  const change = { params: { apiname: 'create-thing' }, body: { UpdateParams: [{ name: 'seats', index: true }] } };
  const changed = await management.callWhole('changeApi', { ...change, headers: { 'If-Match': `"1"` } });
  assert.notEqual(changed.headers.get('etag'), tag);
  await assert.rejects(
    management.call('changeApi', { ...change, headers: { 'If-Match': '"1"' } }),
    VersionConflictError,
  );
  assert.deepEqual(
    (await management.call('listEntities')).items.map(({ name }) => name),
    ['thing'],
  );
});

test('a call without a token, and one that is meant for another org, are refused', async () => {
  await assert.rejects(stranger.call('listEntities'), { code: 'token_missing', status: 401 });
  const other = createManagement({ url: managementUrl, token, org: 'other' });
  await assert.rejects(
    other.call('listEntities'),
    (error) => error instanceof FreeholdError && error.code === 'org_mismatch',
  );
});

/** The members of the types of an entity, by the text that declares them. */
function membersOf(text: string, entity: string, part: string): readonly string[] {
  const inEntity = text.slice(text.indexOf(`\n  readonly ${entity}: {`));
  const start = inEntity.indexOf(`\n    readonly ${part}: {`);
  const block = inEntity.slice(start + 1, inEntity.indexOf('\n    }', start));
  return [...block.matchAll(/^ {6}(?:readonly )?(\w+)\??:/gm)].map(([, name = '']) => name);
}

test('the types of an entity with a field of every type have the members of its records, and filter by their fields', async () => {
  const entities = [await management.call('readEntity', { query: { entityName: 'thing' } })];
  const text = generateTypes({ entities });
  const app = createApp({ url, org: org_code, clientId });
  await app.signIn({ email: newEmail('founder'), password });
  const things = app.entity('thing');
  const record = await things.create(everyValue);
  const members = membersOf(text, 'thing', 'record');
  assert.deepEqual(Object.keys(record).toSorted(), members.toSorted());
  assert.deepEqual(
    Object.keys(everyValue).filter((name) => !membersOf(text, 'thing', 'create').includes(name)),
    [],
  );
  const filters = membersOf(text, 'thing', 'where');
  assert.ok(filters.includes('title') && !filters.includes('notes') && !filters.includes('pin'));
  for (const field of filters)
    assert.equal((await things.list({ where: { [field]: { exists: true } } })).items.length, 1, field);
  const sorts =
    /"created_at"(?: \| "[\w.]+")*/
      .exec(text.slice(text.indexOf('readonly thing:')))?.[0]
      .match(/[\w.]+/g)
      ?.map(String) ?? [];
  assert.ok(sorts.includes('title') && sorts.includes('seats'));
  for (const field of sorts.filter((word) => word !== '')) await things.list({ sort: field });
  const [shown] = (await things.list({ view: 'short' })).items;
  assert.deepEqual(Object.keys(shown ?? {}), ['name', 'amount', 'tags', 'paid', 'seats', 'label', 'edition', 'day']);
});

test('the types of the entities of access control have the fields that these have', async () => {
  const text = generateTypes({ entities: [] });
  const app = createApp({ url, org: org_code, clientId });
  await app.signIn({ email: newEmail('user'), password });
  for (const name of ['aclpolicy', 'group', 'useraclpolicy', 'usergroup', 'userrole', 'user']) {
    const [own, ...others] = membersOf(text, name, 'where');
    assert.ok(own !== undefined && others.length > 4, name);
    for (const field of [own, ...others]) await app.entity(name).list({ where: { [field]: { exists: true } } });
    const [record = {}] = (await app.entity(name).list()).items;
    const members = membersOf(text, name, 'record');
    assert.deepEqual(
      Object.keys(record).filter((member) => !members.includes(member)),
      [],
      name,
    );
  }
});
