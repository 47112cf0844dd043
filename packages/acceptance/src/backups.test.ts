/** Backups of a running platform, by the operator and by a schedule. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { assertProblem, assertRefusal } from './assert-problem.ts';
import { call } from './call.ts';
import { documentedManagement } from './documented-gateway.ts';
import {
  auditedBackups,
  backupSettings,
  backupsOf,
  madeBackup,
  operate,
  type ShownBackups,
  whenBackup,
} from './operator-backups.ts';
import { act, create, defineEntity, definition, foundedOrg, manage } from './org.ts';
import { operatorKey } from './plans.ts';
import { commandToEnd, type Platform, temporaryDirectory, whyNoDataDir } from './platform.ts';
import { platformForTests, platformOf } from './platform-for-tests.ts';

const skip = whyNoDataDir;
const unknown = 'freehold-20200101T000000000Z.backup';

const routes = [
  ['GET', ''],
  ['POST', ''],
  ['GET', `/${unknown}`],
  ['POST', `/${unknown}/test`],
  ['DELETE', `/${unknown}`],
] as const;

interface Started extends Platform {
  /** Where the backups lie. */
  readonly folder: string;
}

async function start(t: TestContext): Promise<Started> {
  const parent = temporaryDirectory();
  const platform = await platformOf(t, { env: backupSettings(parent) });
  return { ...platform, folder: join(parent, 'backups') };
}

test('without an operator key there are no such routes', async () => {
  const { management } = await platformForTests();
  for (const [method, path] of routes)
    assertProblem(await call(method, `${management}/platform/backups${path}`, { token: operatorKey }), 'not_found');
});

test('only the operator key opens them', { skip }, async (t) => {
  const platform = await start(t);
  const { org, founder } = await foundedOrg(platform);
  for (const [index, [method, path]] of routes.entries()) {
    assertProblem(await call(method, `${platform.management}/platform/backups${path}`), 'token_missing');
    const token = [org.builder.token, founder.token, `${operatorKey}A`][index % 3] ?? '';
    assertProblem(await operate(platform, method, path, { token }), 'token_invalid');
  }
  assertProblem(await manage(org, 'GET', '/platform/backups'), 'token_invalid');
  assert.equal(existsSync(platform.folder), false);
});

test('without a folder each route says that none is set', { skip }, async (t) => {
  const platform = await platformOf(t, { env: { FREEHOLD_OPERATOR_KEY: operatorKey } });
  const { unavailable, ...rest } = await backupsOf(platform);
  assert.match(unavailable ?? '', /no folder for backups is set: set FREEHOLD_BACKUP_DIR/);
  assert.deepEqual(rest, { items: [], nexttoken: null, schedule: null, room: null });
  for (const [method, path] of routes.slice(1))
    assert.match(
      assertProblem(await operate(platform, method, path), 'conflict').detail,
      /no folder for backups is set/,
    );
});

test('on PostgreSQL each route says that the server’s own tools make backups', {
  skip: whyNoDataDir === false && 'not run: about PostgreSQL',
}, async (t) => {
  const platform = await start(t);
  assert.match((await backupsOf(platform)).unavailable ?? '', /PostgreSQL: back it up and restore it with/);
  for (const [method, path] of routes.slice(1))
    assert.match(assertProblem(await operate(platform, method, path), 'conflict').detail, /names PostgreSQL/);
});

test('a backup is made beside the calls, downloaded, tested and removed, and each of it is audited', {
  skip,
}, async (t) => {
  const platform = await start(t);
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, definition('ticket', [{ name: 'title' }]));
  const { id } = await create(founder, 'ticket', { title: 'kept' });
  const { items, room } = await backupsOf(platform);
  assert.deepEqual([items, existsSync(platform.folder)], [[], false]);
  assert.ok(room !== null && room.free_bytes > 0 && room.needed_bytes > 0, 'also before the first one');
  const made = await madeBackup(platform);
  const { name } = made;
  const path = join(platform.folder, name);
  const { size, mode } = statSync(path);
  const { made_by, percent, bytes, test: tested } = made;
  assert.deepEqual(
    { made_by, percent, bytes, tested },
    { made_by: 'operator', percent: null, bytes: size, tested: null },
  );
  assert.ok((made.data_version ?? 0) > 0);
  assert.deepEqual([mode & 0o777, statSync(platform.folder).mode & 0o777], [0o600, 0o700]);
  for (const file of readdirSync(platform.folder)) assert.equal(statSync(join(platform.folder, file)).mode & 0o077, 0);

  const file = await fetch(`${platform.management}/platform/backups/${name}`, {
    headers: { authorization: `Bearer ${operatorKey}` },
  });
  assert.equal(file.status, 200);
  assert.equal(file.headers.get('content-length'), String(size));
  assert.equal(file.headers.get('content-type'), 'application/x-tar');
  assert.equal(file.headers.get('content-disposition'), `attachment; filename="${name}"`);
  assert.equal(file.headers.get('cache-control'), 'no-store');
  const content = Buffer.from(await file.arrayBuffer());
  assert.equal(hash('sha256', content), hash('sha256', readFileSync(path)));

  const started = await operate(platform, 'POST', `/${name}/test`);
  assert.deepEqual([started.status, started.body.test?.result], [202, 'running'], started.text);
  const passed = await whenBackup(platform, (backup) => backup.test !== null && backup.test.result !== 'running');
  assert.deepEqual([passed.test?.result, passed.test?.problem], ['passed', null]);
  assert.deepEqual(readdirSync(platform.folder).sort(), [name, `${name}.json`]);

  // What was downloaded is a backup.
  const copy = join(temporaryDirectory(), 'copy.backup');
  writeFileSync(copy, content);
  const dataDir = join(temporaryDirectory(), 'again');
  const restored = await commandToEnd(['restore', copy], { dataDir });
  assert.equal(restored.code, 0, restored.stderr);
  const again = await platformOf(t, { dataDir });
  const moved = { ...founder, org: { ...founder.org, app: again.app, management: again.management } };
  assert.equal((await act<{ title: string }>(moved, 'GET', `/item/ticket/${id}`)).body.title, 'kept');

  assert.equal((await operate(platform, 'DELETE', `/${name}`)).status, 204);
  for (const [method, more] of [
    ['DELETE', ''],
    ['GET', ''],
    ['POST', '/test'],
  ] as const)
    assertProblem(await operate(platform, method, `/${name}${more}`), 'not_found');
  assert.deepEqual(readdirSync(platform.folder), []);
  assert.deepEqual((await auditedBackups(platform, name)).map(({ action, by }) => `${by} ${action}`).reverse(), [
    'operator backup.begun',
    'platform backup.completed',
    'operator backup.downloaded',
    'operator backup.test_begun',
    'platform backup.tested',
    'operator backup.removed',
    'operator backup.removal_refused',
    'operator backup.download_refused',
    'operator backup.test_refused',
  ]);
});

test('a request with an idempotency key makes one backup', { skip }, async (t) => {
  const platform = await start(t);
  const options = { headers: { 'idempotency-key': 'nightly' } };
  const first = await operate(platform, 'POST', '', options);
  const second = await operate(platform, 'POST', '', options);
  assert.deepEqual([first.status, second.status], [202, 202], second.text);
  assert.equal(second.headers.get('idempotency-replayed'), 'true');
  assert.equal(second.body.name, first.body.name);
  await whenBackup(platform, ({ state }) => state === 'complete');
  assert.equal((await backupsOf(platform)).items.length, 1);
});

test('names are those of the list, and lead nowhere else', { skip }, async (t) => {
  const platform = await start(t);
  const { name } = await madeBackup(platform);
  const outside = join(platform.folder, '..', 'outside.backup');
  copyFileSync(join(platform.folder, name), outside);
  symlinkSync(outside, join(platform.folder, 'link.backup'));
  mkdirSync(join(platform.folder, 'folder.backup'));
  writeFileSync(join(platform.folder, 'note.txt'), 'not a backup');
  const secret = join(platform.folder, `${name}.json`);
  for (const nonsense of [
    ...['..%2foutside.backup', '%2e%2e%2foutside.backup', '..%5coutside.backup', '%00.backup', '.backup', '..', 'x'],
    ...['link.backup', 'folder.backup', 'note.txt', `${name}.json`, `${name}%00`, `./${name}`, ` ${name}`],
    ...['a'.repeat(10_000), `${'a'.repeat(200)}.backup`, 'toString', '%F0%9F%94%91.backup'],
  ])
    for (const [method, more] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/test'],
    ] as const) {
      const reply = await operate(platform, method, `/${nonsense}${more}`);
      // `./name` is the name itself to a client that resolves addresses.
      if (nonsense.startsWith('./') && reply.status < 300) continue;
      assertRefusal(reply, [400, 404, 405]);
    }
  assert.ok(existsSync(outside));
  assert.ok(existsSync(join(platform.folder, 'note.txt')));
  assert.ok(existsSync(secret) || !existsSync(join(platform.folder, name)));
  for (const [method, path] of [
    ['GET', '?state=failed'],
    ['GET', '?pagesize=0'],
    ['GET', '?pagesize=201'],
    ['POST', '?force=true'],
  ] as const)
    assertRefusal(await operate(platform, method, path), [400]);
  assertProblem(await operate(platform, 'GET', '?nexttoken=nonsense'), 'invalid_cursor');
  assertRefusal(await operate(platform, 'POST', '', { body: { name: '../x' } }), [400]);
  assertProblem(await operate(platform, 'PUT'), 'method_not_allowed');
});

test('files that a person has put there are shown and tested, and come in pages', { skip }, async (t) => {
  const platform = await start(t);
  const made = await madeBackup(platform);
  for (const name of ['monday', 'tuesday'])
    copyFileSync(join(platform.folder, made.name), join(platform.folder, `${name}.backup`));
  const bare = join(platform.folder, 'bare.backup');
  const without = await commandToEnd(['backup', bare, '--without-secrets'], { dataDir: platform.dataDir });
  assert.equal(without.code, 0, without.stderr);
  writeFileSync(join(platform.folder, 'damaged.backup'), readFileSync(bare).subarray(0, 5000));
  const { items } = await backupsOf(platform);
  assert.deepEqual(
    items.map(({ name, state, made_by }) => `${name} ${state} ${made_by}`).sort(),
    [
      'bare.backup complete null',
      'damaged.backup failed null',
      `${made.name} complete operator`,
      'monday.backup complete null',
      'tuesday.backup complete null',
    ].sort(),
  );
  assert.match(items.find(({ state }) => state === 'failed')?.problem ?? '', /cannot be read/);
  const paged: string[] = [];
  for (let token: string | null = ''; token !== null; ) {
    const query: string = token === '' ? '' : `&nexttoken=${token}`;
    const page = await operate<ShownBackups>(platform, 'GET', `?pagesize=2${query}`);
    assert.ok(page.body.items.length <= 2);
    paged.push(...page.body.items.map(({ name }) => name));
    token = page.body.nexttoken;
  }
  assert.deepEqual(
    paged,
    items.map(({ name }) => name),
  );
  assertProblem(await operate(platform, 'GET', '/damaged.backup'), 'conflict');
  assertProblem(await operate(platform, 'POST', '/damaged.backup/test'), 'conflict');
  const results: Record<string, string> = {};
  for (const name of ['monday.backup', 'bare.backup']) {
    assert.equal((await operate(platform, 'POST', `/${name}/test`)).status, 202);
    const { test: tested } = await whenBackup(
      platform,
      (backup) => backup.name === name && backup.test !== null && backup.test.result !== 'running',
    );
    results[name] = `${tested?.result}: ${tested?.problem}`;
  }
  assert.equal(results['monday.backup'], 'passed: null');
  assert.match(results['bare.backup'] ?? '', /^unverified: the secrets are not in it/);
});

test('a backup whose content is damaged fails its restore test, and the test leaves nothing behind', {
  skip,
}, async (t) => {
  const platform = await start(t);
  const { name } = await madeBackup(platform);
  const path = join(platform.folder, name);
  const bytes = readFileSync(path);
  bytes[bytes.length - 20_000] = (bytes[bytes.length - 20_000] ?? 0) ^ 0xff;
  writeFileSync(path, bytes);
  assert.equal((await operate(platform, 'POST', `/${name}/test`)).status, 202);
  const failed = await whenBackup(platform, ({ test: tested }) => tested !== null && tested.result !== 'running');
  assert.equal(failed.test?.result, 'failed');
  assert.match(failed.test?.problem ?? '', /is damaged: its SHA-256 does not match/);
  assert.deepEqual(readdirSync(platform.folder).sort(), [name, `${name}.json`]);
  const env = { FREEHOLD_BACKUP_DIR: platform.folder };
  const { code, stdout } = await commandToEnd(['doctor'], { dataDir: platform.dataDir, env });
  assert.equal(code, 1);
  assert.match(stdout, /^FAULT the last restore test, of `freehold-.*`, failed: .*is damaged/m);
});

test('the answers are those of the document', { skip }, async (t) => {
  const platform = await start(t);
  const { org } = await foundedOrg(platform);
  const gateway = await documentedManagement(org);
  const token = operatorKey;
  const send = async (operation: string, status: number, path?: Readonly<Record<string, string>>) =>
    assert.equal((await gateway.send(operation, { token, ...(path && { path }) })).status, status, operation);
  await send('makeBackup', 202);
  const { name } = await whenBackup(platform, ({ state }) => state === 'complete');
  await send('listBackups', 200);
  await send('downloadBackup', 200, { name });
  await send('testBackup', 202, { name });
  await send('makeBackup', 409);
  await whenBackup(platform, ({ test: tested }) => tested?.result === 'passed');
  await send('removeBackup', 204, { name });
  await send('removeBackup', 404, { name });
});
