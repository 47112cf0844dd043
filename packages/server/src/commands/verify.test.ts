import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createSecretVault } from '../automation/outside/secret-vault.ts';
import { platformScopeName } from '../people/port.ts';
import { totpPlace } from '../people/second-factors/prove-factor.ts';
import { noFactors, storedFactors } from '../people/second-factors/stored-factors.ts';
import { createSecretsFile, loadSecrets } from '../people/secrets.ts';
import { createSealer } from '../records/port.ts';
import {
  assertLeavesRunning,
  assertRefusesNonsense,
  runProgram,
  temporaryFolder,
  usingStore,
} from '../testing/command.ts';
import { RecordBench, SteppedClock } from '../testing/record-bench.ts';

const program = join(import.meta.dirname, 'verify.ts');

const verify = (...words: readonly string[]) => runProgram(program, words);

/** A data folder of a platform that is stopped: one order refers to the other. */
async function dataFolder(context: TestContext) {
  const folder = temporaryFolder(context);
  const paths = { test: join(folder, 'test.db'), prod: join(folder, 'prod.db') };
  for (const path of [paths.prod, join(folder, 'platform.db')]) await usingStore(path, async () => undefined);
  const ids = await usingStore(paths.test, async (opened) => {
    const bench = new RecordBench(opened, new SteppedClock());
    await bench.found(bench.workspace);
    const node = bench.node();
    const lookup = { name: 'next', colType: 'guid', lookup: { entity: 'order' } };
    await node.admin.define('acme', { entityName: 'order', UpdateParams: [{ name: 'title', index: true }, lookup] });
    const call = await node.call('order');
    const { id } = (await node.runtime.create(call, { title: 'a' })).data;
    return [id, (await node.runtime.create(call, { title: 'b', next: id })).data.id] as const;
  });
  return { folder, path: paths.test, ids };
}

test('a folder without drift is reported in numbers, and left as it is', async (context) => {
  const { folder, path } = await dataFolder(context);
  const contents = () => usingStore(path, ({ maintenance }) => maintenance.scan('org#acme-main', undefined, 1000));
  const [before, names] = [await contents(), readdirSync(folder)];
  const { code, stdout, stderr } = await verify('--data-dir', folder);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^test: 1 orgs, 1 workspaces \(and 0 not looked at\), 2 records, 6 index entries,/);
  assert.match(stdout, /^prod: 0 orgs/m);
  assert.match(stdout, /nothing has drifted\n$/);
  assert.deepEqual([await contents(), readdirSync(folder)], [before, names]);
});

test('drift is reported with its place, and ends the program with 1', async (context) => {
  const { folder, path, ids } = await dataFolder(context);
  await usingStore(path, async ({ store }) => {
    const scope = store.scope('org#acme-main');
    const [entry] = await scope.range('index#order;field#title@1', { limit: 1 });
    assert.ok(entry !== undefined);
    await scope.commit([{ kind: 'remove', pk: entry.pk, sk: entry.sk, if: 'present' }]);
  });
  const { code, stdout } = await verify('--data-dir', folder);
  assert.equal(code, 1);
  const line = `index in org#acme-main at "index#order;field#title@1" "1a\\u0001\\u0001${ids[0]}": is missing`;
  assert.ok(stdout.includes(line), stdout);
  assert.match(stdout, /drift: 1\n$/);
});

test('a dangling reference is reported, and is no drift', async (context) => {
  const { folder, path, ids } = await dataFolder(context);
  await usingStore(path, async (opened) => {
    const scope = opened.store.scope('org#acme-main');
    const items = await opened.maintenance.scan(scope.name, undefined, 1000);
    const target = items.filter(({ pk, sk }) => pk.startsWith('index#') && sk.endsWith(ids[0]));
    await scope.commit([
      { kind: 'remove', pk: 'org#acme-main;data#order', sk: `order#${ids[0]}`, if: 'present' },
      ...target.map(({ pk, sk }) => ({ kind: 'remove', pk, sk, if: 'present' }) as const),
      { kind: 'add', pk: 'count', sk: 'order', by: -1 },
    ]);
  });
  const { code, stdout } = await verify('--data-dir', folder);
  assert.equal(code, 0, stdout);
  const line = `dangling in org#acme-main at "org#acme-main;data#order" "order#${ids[1]}": \`next\` names the order ${ids[0]}`;
  assert.ok(stdout.includes(line), stdout);
});

test('a secret that the keys of the folder do not open is reported', async (context) => {
  const { folder, path } = await dataFolder(context);
  const key = { kid: 'lost', key: Buffer.alloc(32, 1).toString('base64url') };
  await usingStore(path, async ({ store }) => {
    const vault = createSecretVault({ stores: { test: store, prod: store }, sealer: createSealer([key]) });
    const auditContext = { at: '', actor: { kind: 'org_user', id: 'builder' }, request_id: '' } as const;
    const command = { env: 'test', orgCode: 'acme', name: 'stripe', auditContext } as const;
    await vault.set(command, { value: 'a value', hosts: [] });
  });
  const { code, stdout } = await verify('--data-dir', folder);
  assert.equal(code, 1, stdout);
  assert.ok(stdout.includes('sealed in org#acme at "automation-secret" "stripe": opens with no known key'), stdout);
  assert.match(stdout, /drift: 1\n$/);
});

test('a secret of an authenticator app that the keys of the folder do not open is reported, and no other', async (context) => {
  const { folder } = await dataFolder(context);
  const { field_keys: keys } = await loadSecrets(createSecretsFile(folder), new SteppedClock());
  const lost = [{ kid: 'lost', key: Buffer.alloc(32, 1).toString('base64url') }];
  const sealedBy = (sealer: ReturnType<typeof createSealer>, userId: string) =>
    sealer.seal('secret', totpPlace(userId));
  await usingStore(join(folder, 'platform.db'), async ({ store }) => {
    const known = createSealer(keys);
    const other = createSealer(lost);
    const totp = (sealed: string) => ({ sealed, confirmed_at: '', last_step: 0 });
    await store.scope(platformScopeName).commit([
      storedFactors.insert('good', { ...noFactors, totp: totp(sealedBy(known, 'good')) }),
      storedFactors.insert('lost', { ...noFactors, totp: totp(sealedBy(other, 'lost')) }),
      storedFactors.insert('moved', {
        ...noFactors,
        pending_totp: { expires_at: '', sealed: sealedBy(known, 'good') },
      }),
      storedFactors.insert('none', noFactors),
    ]);
  });
  const { code, stdout } = await verify('--data-dir', folder);
  assert.equal(code, 1, stdout);
  assert.match(stdout, /^platform: 3 accounts with the sealed secret of an authenticator app$/m);
  for (const id of ['lost', 'moved'])
    assert.ok(stdout.includes(`sealed in platform at "factors" "${id}": opens with no known key`), stdout);
  assert.match(stdout, /drift: 2\n$/);
});

test('a folder whose platform is running is not looked at', async (context) => {
  await assertLeavesRunning(verify, await dataFolder(context));
});

test('an empty folder, a missing one and a word that means nothing are refused, and nothing is made', (context) =>
  assertRefusesNonsense(verify, context));
