/** Data of test that is not configuration is nowhere in production. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  act,
  allow,
  create,
  defineEntity,
  definition,
  grant,
  manage,
  newEmail,
  random,
  signIn,
  signUp,
} from './org.ts';
import { whyNoDataDir } from './platform.ts';
import { platformOf } from './platform-for-tests.ts';
import { activate, change, deploy, prodFounder, provision, publish, rollback } from './promotion.ts';

test('E08: no record, person, key, policy or link of test comes into the store of production, whatever is promoted', {
  skip: whyNoDataDir,
}, async (t) => {
  const platform = await platformOf(t);
  const org = await signUp(platform);
  const canaries = new Set<string>();
  const canary = (text = `canary${random()}`): string => {
    canaries.add(text);
    return text;
  };
  const shown = `shown${random()}`;
  await defineEntity(
    org,
    definition('note', [
      { name: 'title', index: true, description: shown },
      { name: 'pin', colType: 'encrypted' },
      { name: 'code' },
    ]),
  );
  await change(org, 'create-note', { UniqueIndexes: [{ indexName: 'by_code', fields: ['code'] }] });
  const password = canary();
  const founder = await signIn(org, canary(newEmail('founder')), password);
  const member = await signIn(org, canary(newEmail('member')));
  for (const token of [founder.token, member.token, org.builder.token]) canary(token.split('.').at(-1));
  canary(founder.id);
  canary(founder.tenantId);
  const note = await create(founder, 'note', { title: canary(), pin: canary(), code: canary() });
  canary(note.id);
  await grant(founder, member, [{ ...allow('listnote'), Sid: canary() }]);
  await create(founder, 'group', { name: canary(), acl_policies: [] });
  const key = await manage<{ key: string; id: string }>(org, 'POST', '/org/service-keys', {
    body: { env: 'test', tenant_code: 'main', name: canary(), policies: ['adminacl'] },
  });
  canary(key.body.key.replace('fhk_test_', ''));
  canary(key.body.id);
  const invited = await act<{ code: string }>(founder, 'POST', '/user/invitations', {
    body: { email: canary(newEmail('ivy')) },
  });
  canary(invited.body.code);
  canary(org.clientId);

  await provision(org);
  await deploy(org, { note: 'all of it' });
  await manage(org, 'PUT', '/api/create-note', { body: { UpdateParams: [{ name: 'title', index: null }] } });
  await publish(org);
  await activate(org);
  await rollback(org);
  const user = await prodFounder(org);
  await create(user, 'note', { title: 'of production' });

  await platform.terminate();
  const files = (name: string) => {
    const found = readdirSync(platform.dataDir).filter((file) => file.startsWith(name));
    assert.ok(found.length > 0, `no file of ${name}`);
    return Buffer.concat(found.map((file) => readFileSync(join(platform.dataDir, file))));
  };
  const [inTest, inProd] = [files('test.db'), files('prod.db')];
  assert.ok(inProd.includes(shown) && inProd.includes('of production') && inProd.includes(user.email));
  for (const text of [note.id, founder.email, founder.tenantId])
    assert.ok(inTest.includes(text), 'a canary lives in test');
  assert.ok(canaries.size > 15);
  for (const text of canaries) assert.ok(!inProd.includes(text), `production holds ${text}`);
});
