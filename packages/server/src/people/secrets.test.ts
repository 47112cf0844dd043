import assert from 'node:assert/strict';
import { createSecretKey, randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { inspect } from 'node:util';
import type { Scope } from '../store/port.ts';
import { openMemory } from '../store/testing/open-memory.ts';
import { createSecretsFile, createSecretsInStore, loadSecrets, type SecretsVault } from './secrets.ts';
import { openSigningKeys } from './signing-keys.ts';
import { createSecretsInMemory } from './testing/secrets-in-memory.ts';

const clock = { now: () => Date.parse('2026-01-01T00:00:00Z') };
const root = mkdtempSync(join(tmpdir(), 'freehold-secrets-'));
after(() => rmSync(root, { recursive: true, force: true }));

function newFolder() {
  const folder = mkdtempSync(join(root, 'data-'));
  return { folder, path: join(folder, 'secrets.json'), vault: createSecretsFile(folder) };
}

const vaults: Readonly<Record<string, () => SecretsVault>> = {
  'a file': () => newFolder().vault,
  memory: () => createSecretsInMemory(),
  'a store': () => createSecretsInStore(newScope()),
  'a store, sealed': () => createSecretsInStore(newScope(), newMasterKey()),
};

function newScope(): Scope {
  return openMemory({ clock }).store.scope('platform');
}

function newMasterKey() {
  return createSecretKey(randomBytes(32));
}

for (const [name, newVault] of Object.entries(vaults)) {
  test(`${name}: secrets are made once and stay`, async () => {
    const vault = newVault();
    const made = await loadSecrets(vault, clock);
    assert.deepEqual(await loadSecrets(vault, clock), made);
    assert.equal(Buffer.from(made.cursor_key, 'base64url').length, 32);
    assert.equal(made.signing_keys.length, 1);
  });

  test(`${name}: of several who make them at once all get the same`, async () => {
    const vault = newVault();
    const [first, ...others] = await Promise.all(Array.from({ length: 8 }, () => loadSecrets(vault, clock)));
    for (const other of others) assert.deepEqual(other, first);
  });

  test(`${name}: of several who write after one read one counts`, async () => {
    const vault = newVault();
    await loadSecrets(vault, clock);
    const seen = await vault.read();
    const keys = ['A', 'B', 'C', 'D'].map((letter) => letter.repeat(43));
    const outcomes = await Promise.all(keys.map((cursor_key) => vault.write({ ...seen.secrets, cursor_key }, seen)));
    assert.equal(outcomes.filter((isWritten) => isWritten).length, 1);
    assert.equal((await vault.read()).secrets.cursor_key, keys[outcomes.indexOf(true)]);
    assert.equal(await vault.write(seen.secrets, seen), false, 'nor does who comes later');
  });

  test(`${name}: those that came since are made beside those that stand`, async () => {
    const vault = newVault();
    const cursor_key = 'A'.repeat(43);
    assert.ok(await vault.write({ cursor_key }, await vault.read()));
    assert.equal((await loadSecrets(vault, clock)).cursor_key, cursor_key);
  });
}

test('the file is for its owner alone, also where a backup or a crash left it open', async () => {
  const { folder, path, vault } = newFolder();
  await loadSecrets(vault, clock);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  chmodSync(path, 0o644);
  const seen = await vault.read();
  assert.equal(statSync(path).mode & 0o777, 0o600);
  writeFileSync(join(folder, 'secrets.json.new'), '{"half', { mode: 0o644 });
  assert.ok(await vault.write(seen.secrets, seen));
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(folder), ['secrets.json']);
});

test('J01 a crash while a rotation is written leaves the keys from before, and what it left does no harm', async () => {
  const { folder, path, vault } = newFolder();
  await loadSecrets(vault, clock);
  const before = readFileSync(path, 'utf8');
  const { list, rotate } = await openSigningKeys({ vault, clock });
  const [signing] = list();
  await rotate();
  const after = readFileSync(path, 'utf8');
  for (const left of ['', after.slice(0, after.length / 2), after]) {
    writeFileSync(path, before);
    writeFileSync(join(folder, 'secrets.json.new'), left);
    const keys = await openSigningKeys({ vault: createSecretsFile(folder), clock });
    assert.deepEqual(keys.list(), [signing]);
    assert.ok((await keys.rotate()).isNew);
  }
});

test('a folder of an older version is read: its key signs from its first moment', async () => {
  const { path, vault } = newFolder();
  const { signing_keys, ...rest } = await loadSecrets(vault, clock);
  const old = signing_keys.map(({ signs_from: _, ...key }) => ({ ...key, status: 'active' }));
  writeFileSync(path, JSON.stringify({ ...rest, signing_keys: old, of_a_newer_version: 1 }));
  const keys = await openSigningKeys({ vault, clock });
  assert.equal(keys.current().kid, signing_keys[0]?.kid);
  await keys.rotate();
  assert.equal(JSON.parse(readFileSync(path, 'utf8')).of_a_newer_version, 1, 'what is not known is kept');
});

test('what cannot be used is said in a sentence, which repeats nothing of it', async () => {
  const { path, vault } = newFolder();
  const good = await loadSecrets(vault, clock);
  const [key] = good.signing_keys;
  assert.ok(key);
  const faults: readonly (readonly [content: unknown, reported: RegExp])[] = [
    ['', /not a JSON object/],
    [`{"cursor_key":"${good.cursor_key}"`, /not a JSON object/],
    [[good], /not a JSON object/],
    [null, /not a JSON object/],
    [{ ...good, cursor_key: `${good.cursor_key}A` }, /`cursor_key`/],
    [{ ...good, cursor_key: 7 }, /`cursor_key`/],
    [{ ...good, field_keys: [] }, /`field_keys`/],
    [{ ...good, field_keys: [{ kid: 'a' }] }, /`field_keys`/],
    [{ ...good, signing_keys: [] }, /`signing_keys`/],
    [{ ...good, signing_keys: key }, /`signing_keys`/],
    [{ ...good, signing_keys: [{ ...key, signs_from: 'soon' }] }, /`signing_keys`/],
    [{ ...good, signing_keys: [{ ...key, created_at: undefined }] }, /`signing_keys`/],
    [{ ...good, signing_keys: [{ ...key, private_jwk: undefined }] }, /`signing_keys`/],
    [{ ...good, signing_keys: [key, key] }, /one `kid`/],
  ];
  for (const [content, expected] of faults) {
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    await assert.rejects(loadSecrets(vault, clock), (error: Error) => {
      assert.match(error.message, expected);
      assert.ok(error.message.includes(path), error.message);
      const shown = inspect(error, { depth: 9 });
      return [good.cursor_key, key.private_jwk.d].every((secret) => !shown.includes(secret));
    });
  }
});

test('what cannot be read is said in a sentence', async () => {
  const { path, vault } = newFolder();
  mkdirSync(path);
  await assert.rejects(loadSecrets(vault, clock), /^Error: the secrets in `.*secrets\.json` cannot be read: EISDIR/);
});

/** Everything that the store holds of the secrets, as one text. */
async function keptText(scope: Scope): Promise<string> {
  const [item] = await scope.get([{ pk: 'platform', sk: 'secrets' }]);
  return item?.value ?? '';
}

test('in a store every node sees what another has changed', async () => {
  const [scope, masterKey] = [newScope(), newMasterKey()];
  const [one, other] = [createSecretsInStore(scope, masterKey), createSecretsInStore(scope, masterKey)];
  await loadSecrets(one, clock);
  const [keys, others] = [await openSigningKeys({ vault: one, clock }), await openSigningKeys({ vault: other, clock })];
  await keys.rotate();
  await others.tend();
  assert.deepEqual(others.list(), keys.list());
});

test('a master key seals what the store keeps, also what lay there before it was set', async () => {
  const [scope, masterKey] = [newScope(), newMasterKey()];
  const open = await loadSecrets(createSecretsInStore(scope), clock);
  assert.ok((await keptText(scope)).includes(open.cursor_key));
  const sealing = createSecretsInStore(scope, masterKey);
  assert.deepEqual(await loadSecrets(sealing, clock), open);
  const sealed = await keptText(scope);
  for (const secret of [open.cursor_key, open.field_keys[0]?.key ?? '', 'signing_keys'])
    assert.ok(!sealed.includes(secret), sealed);
  const seen = await sealing.read();
  assert.ok(await sealing.write(seen.secrets, seen));
  assert.notEqual(await keptText(scope), sealed, 'no nonce is used twice');
});

test('a missing or wrong master key, and sealed secrets that were changed, are reported in a sentence', async () => {
  const [scope, masterKey] = [newScope(), newMasterKey()];
  const vault = createSecretsInStore(scope, masterKey);
  await loadSecrets(vault, clock);
  const kept = await keptText(scope);
  const refused = (key: ReturnType<typeof newMasterKey> | undefined, description: RegExp) =>
    assert.rejects(loadSecrets(createSecretsInStore(scope, key), clock), description);
  await refused(undefined, /^Error: the secrets in the store are encrypted: set FREEHOLD_MASTER_KEY/);
  await refused(newMasterKey(), /^Error: the secrets in the store do not open with FREEHOLD_MASTER_KEY/);
  assert.equal(await keptText(scope), kept, 'they are left as they are');
  const { sealed } = JSON.parse(kept) as { readonly sealed: string };
  const flipped = sealed.slice(0, 80) + (sealed[80] === 'A' ? 'B' : 'A') + sealed.slice(81);
  for (const text of [flipped, sealed.slice(0, 30), sealed.slice(0, -8), '']) {
    const value = JSON.stringify({ sealed: text });
    await scope.commit([{ kind: 'put', pk: 'platform', sk: 'secrets', value, if: 'any' }]);
    await refused(masterKey, /do not open with FREEHOLD_MASTER_KEY/);
  }
  await scope.commit([{ kind: 'put', pk: 'platform', sk: 'secrets', value: '{"cursor_key":7}', if: 'any' }]);
  await refused(undefined, /^Error: the secrets in the store cannot be used: `cursor_key`/);
});
