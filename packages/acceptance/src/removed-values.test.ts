/** What is removed is gone from the files of the platform, and from the backups that are made afterwards. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from './eventually.ts';
import { backupSettings, madeBackup } from './operator-backups.ts';
import { act, create, defineEntity, definition, manage, newEmail, random, signIn } from './org.ts';
import { erase } from './person-jobs.ts';
import { temporaryDirectory, whyNoDataDir } from './platform.ts';
import { platformOf } from './platform-for-tests.ts';
import { founderOf, multiOrg } from './workspaces.ts';

/** The files in a folder, at any depth, that contain the text. */
function filesWith(folder: string, text: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map(({ name, parentPath }) => join(parentPath, name))
    .filter((path) => readFileSync(path).includes(text));
}

test('an erased person, a deleted record, a withdrawn invitation and a removed entity are in no file and no later backup', {
  skip: whyNoDataDir,
}, async (t) => {
  const parent = temporaryDirectory();
  const platform = await platformOf(t, { env: backupSettings(parent) });
  const { dataDir } = platform;
  const org = await multiOrg(platform);
  const founder = await founderOf(org, 'Acme');
  await defineEntity(org, definition('ticket', [{ name: 'title', index: true }]));
  await defineEntity(org, definition('draft', [{ name: 'title', index: true }]));
  const texts = new Map<string, string>();
  const secret = (what: string): string => {
    const text = `gone${random()}`;
    texts.set(what, text);
    return text;
  };

  const person = await signIn(org, newEmail(secret('address')));
  const named = await act(person, 'PUT', '/user/me', { body: { fn: secret('name') } });
  assert.equal(named.status, 200, named.text);
  const invited = await act(founder, 'POST', '/user/invitations', { body: { email: newEmail(secret('invitation')) } });
  assert.equal(invited.status, 201, invited.text);
  const { id } = await create(founder, 'ticket', { title: secret('record') });
  await create(founder, 'ticket', { title: 'stays' });
  await create(founder, 'draft', { title: secret('record of an entity') });
  for (const [what, text] of texts) assert.ok(filesWith(dataDir, text).length > 0, what);

  await erase(org, person, 'delete_created');
  assert.equal((await act(founder, 'DELETE', `/delete/ticket/${id}`)).status, 204);
  assert.equal((await act(founder, 'DELETE', `/user/invitations/${invited.body.id}`)).status, 204);
  const dropped = await manage(org, 'DELETE', '/api/entity?entityname=draft');
  assert.ok(dropped.status < 300, dropped.text);
  for (const [what, text] of texts)
    await eventually(`the files without ${what}`, () => filesWith(dataDir, text).length === 0);
  assert.ok(filesWith(dataDir, 'stays').length > 0);
  await madeBackup(platform);
  for (const [what, text] of texts) assert.deepEqual(filesWith(join(parent, 'backups'), text), [], what);
});
