/** Configuration as files: out of one environment, through a repository, and into test again. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { call } from './call.ts';
import { manifestEntry, type TarEntry, tarOf } from './cli-run.ts';
import { bring, download, Folder, newKey, tryImport } from './deploy.ts';
import { webhookEvent } from './event-receiver.ts';
import { allow, create, defineEntity, definition, joinOrg, manage, type Org, signIn, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import {
  activate,
  diff,
  history,
  names,
  provision,
  provisionedOrg,
  publish,
  removeEntity,
  shownConfig,
} from './promotion.ts';

const gateways = await platformForTests();

/** An org with `customer`, `order`, which looks it up, and a setting. */
async function shop(org: Org | Promise<Org> = signUp(gateways)): Promise<Org> {
  const made = await org;
  await defineEntity(made, definition('customer', [{ name: 'name', colType: 'string' }]));
  const fields = [{ name: 'title' }, { name: 'customer_id', colType: 'guid', lookup: { entity: 'customer' } }];
  await defineEntity(made, definition('order', fields));
  const body = { group: 'acl', name: 'cache_seconds', value: 5 };
  assert.equal((await manage(made, 'PUT', '/org/settings', { body })).status, 200);
  return made;
}

test('a configuration goes through a repository and a pipeline with two keys, and is live as it was written', async () => {
  const org = await shop(provisionedOrg(gateways));
  const [publisher, activator] = [await newKey(org, 'publish'), await newKey(org, 'activate')];
  const folder = Folder.of(await download(org, publisher.key));
  folder.replace('entity/order.json', '"title"', '"headline"');
  const archive = folder.packed();
  const shown = await bring(org, archive, '', publisher.key);
  assert.deepEqual([shown.applied, shown.problems, names(shown.items)], [false, [], ['entity order']]);
  assert.match(shown.items[0]?.summary.join() ?? '', /headline/);
  const before = await shownConfig(org, 'test');
  const applied = await bring(org, archive, `?base=${shown.base}`, publisher.key);
  assert.deepEqual([applied.applied, applied.items], [true, shown.items]);
  assert.notDeepEqual(await shownConfig(org, 'test'), before);
  const published = await manage(org, 'POST', '/deploy/publish', { token: publisher.key, body: { all: true } });
  assert.equal(published.status, 201, published.text);
  const activated = await manage(org, 'POST', '/deploy/activate', { token: activator.key });
  assert.equal(activated.status, 200, activated.text);
  assert.deepEqual(await diff(org), []);
  const live = Folder.of(await download(org, activator.key, '?env=prod'));
  assert.equal(live.read('entity/order.json'), folder.read('entity/order.json'));
  const [release] = await history(org);
  assert.deepEqual(release?.actor, { kind: 'deploy_key', id: activator.id });
});

test('the script of the examples brings a folder to production, step by step, and does nothing twice', async () => {
  const org = await shop(provisionedOrg(gateways));
  const FREEHOLD_PUBLISH_KEY = (await newKey(org, 'publish')).key;
  const FREEHOLD_ACTIVATE_KEY = (await newKey(org, 'activate')).key;
  const both = { FREEHOLD_PUBLISH_KEY, FREEHOLD_ACTIVATE_KEY };
  const folder = Folder.of(await download(org)).replace('entity/order.json', '"title"', '"headline"');
  const before = await shownConfig(org, 'test');
  const dry = await folder.promote(org, { ...both, DRY_RUN: '1' });
  assert.deepEqual([dry.status, /headline/.test(dry.text)], [0, true], dry.text);
  assert.deepEqual(await shownConfig(org, 'test'), before);
  const published = await folder.promote(org, { FREEHOLD_PUBLISH_KEY });
  assert.deepEqual([published.status, await history(org)], [0, []], published.text);
  const live = await folder.promote(org, both);
  assert.deepEqual([live.status, await diff(org)], [0, []], live.text);
  assert.match((await folder.promote(org, both)).text, /production is like that already/);
  assert.equal((await history(org)).length, 1);
  folder.run('rm', 'config/entity/customer.json');
  const refused = await folder.promote(org, both);
  assert.deepEqual([refused.status, /dangling_reference/.test(refused.text)], [1, true], refused.text);
  assert.ok(![dry, published, live, refused].some(({ text }) => text.includes('fhd_')));
});

test('the same configuration is the same archive, and importing it changes nothing', async () => {
  const org = await shop();
  const archive = await download(org);
  assert.ok(archive.equals(await download(org)));
  const { base, items, problems } = await bring(org, archive, '?remove=true');
  assert.deepEqual([items, problems], [[], []]);
  const version = async () => (await manage(org, 'GET', '/config/entity/order/versions')).text;
  const before = await version();
  const applied = await bring(org, archive, `?remove=true&base=${base}`);
  assert.deepEqual(applied, { base, applied: true, items: [] });
  assert.equal(await version(), before);
  const other = await shop();
  assert.ok(archive.equals(await download(other)), 'versions and dates are not in it');
});

test('an org is made again from its files', async () => {
  const [from, to] = [await shop(), await signUp(gateways)];
  const archive = await download(from);
  const { base, items } = await bring(to, archive);
  assert.ok(items.every(({ change }) => change === 'added'));
  await bring(to, archive, `?base=${base}`);
  assert.deepEqual(await shownConfig(to, 'test'), await shownConfig(from, 'test'));
});

test('an import keeps what is not in the archive, and takes it away where it is asked to', async () => {
  const org = await shop();
  const folder = Folder.of(await download(org));
  folder.run('rm', 'config/entity/order.json');
  assert.deepEqual((await bring(org, folder.packed())).items, []);
  const { base, items } = await bring(org, folder.packed(), '?remove=true');
  assert.deepEqual(
    items.map(({ name, change }) => [name, change]),
    [['order', 'removed']],
  );
  await bring(org, folder.packed(), `?remove=true&base=${base}`);
  assert.equal((await manage(org, 'GET', '/api/entity?entityName=order')).status, 404);
});

test('what was agreed to is what test was: where it has changed since nothing is written', async () => {
  const org = await shop();
  const archive = Folder.of(await download(org))
    .replace('entity/order.json', '"title"', '"headline"')
    .packed();
  const { base } = await bring(org, archive);
  await removeEntity(org, 'order');
  const before = await shownConfig(org, 'test');
  const refused = await tryImport(org, archive, `?base=${base}`);
  const reported = assertProblem(refused, 'version_mismatch');
  assert.notEqual(reported.base, base);
  assertProblem(await tryImport(org, archive, '?base=nonsense'), 'version_mismatch');
  assertProblem(await tryImport(org, await download(org), `?base=${base}`), 'version_mismatch');
  assert.deepEqual(await shownConfig(org, 'test'), before);
});

test('all reasons that would refuse an import are reported beforehand, and nothing is written', async () => {
  const org = await shop();
  const founder = await signIn(org);
  await create(founder, 'order', { title: 'a long title' });
  await create(founder, 'customer', { name: 'a long name' });
  const developer = await joinOrg(org, 'developer');
  const folder = Folder.of(await download(org));
  for (const [file, field] of [
    ['order', 'title'],
    ['customer', 'name'],
  ])
    folder.edit(
      `entity/${file}.json`,
      withField(folder.read(`entity/${file}.json`), field ?? '', { validate: true, maxlength: 3 }),
    );
  folder.replace('settings/acl.cache_seconds.json', '5', '7');
  folder.run('mkdir', 'config/logicblock');
  const step = { id: 'go', type: 'call', logicblock: 'nowhere' };
  folder.edit('logicblock/caller.json', JSON.stringify({ name: 'caller', steps: [step] }));
  const archive = folder.packed();
  const before = await shownConfig(org, 'test');
  const { base, problems = [], refused } = await bring(org, archive, '', developer.token);
  assert.deepEqual(
    refused?.map(({ code, kind, name }) => [code, kind, name]),
    [['role_required', 'settings', 'acl.cache_seconds']],
  );
  const warnings = problems.map(({ code, kind, name, would_fail }) => [code, kind, name, would_fail]);
  assert.deepEqual(warnings.toSorted(), [
    ['conflict', 'entity', 'customer', 1],
    ['conflict', 'entity', 'order', 1],
    ['dangling_reference', 'logicblock', 'caller', undefined],
  ]);
  assert.ok(problems.some(({ examples }) => JSON.stringify(examples)?.includes(founder.tenantCode)));
  for (const token of [developer.token, org.builder.token])
    assertProblem(await tryImport(org, archive, `?base=${base}`, token), 'dangling_reference');
  folder.run('rm', 'config/logicblock/caller.json');
  assertProblem(await tryImport(org, folder.packed(), `?base=${base}`), 'conflict');
  assert.deepEqual(await shownConfig(org, 'test'), before);
  const forced = await bring(org, folder.packed(), '?force=true');
  assert.deepEqual(forced.problems, []);
  await bring(org, folder.packed(), `?force=true&base=${forced.base}`);
  assert.notDeepEqual(await shownConfig(org, 'test'), before);
});

test('an import that is more than one commit takes is reported beforehand, and can be sent in parts', async () => {
  const org = await shop();
  const folder = Folder.of(await download(org));
  folder.run('mkdir', 'config/logicblock');
  const filters = [{ field: 'email', op: 'in', value: Array.from({ length: 20 }, () => 'x'.repeat(990)) }];
  const steps = Array.from({ length: 12 }, (_, index) => ({ id: `s${index}`, type: 'list', entity: 'user', filters }));
  const files = Array.from({ length: 36 }, (_, index) => `block${index}`);
  for (const name of files) folder.edit(`logicblock/${name}.json`, JSON.stringify({ name, steps }));
  const { base, problems = [] } = await bring(org, folder.packed());
  assert.deepEqual(
    problems.map(({ code }) => code),
    ['body_too_large'],
  );
  assertProblem(await tryImport(org, folder.packed(), `?base=${base}`), 'body_too_large');
  for (const name of files.slice(1)) folder.run('rm', `config/logicblock/${name}.json`);
  const part = await bring(org, folder.packed());
  assert.deepEqual(part.problems, []);
  await bring(org, folder.packed(), `?base=${part.base}`);
});

test('every bound of an org that an import would pass is reported beforehand', async () => {
  const org = await shop();
  const folder = Folder.of(await download(org));
  folder.run('mkdir', 'config/logicblock', 'config/event');
  const filters = [{ field: 'email', op: 'in', value: Array.from({ length: 20 }, () => 'x'.repeat(990)) }];
  const schedule = { cron: '0 3 * * *', timezone: 'UTC', missed: 'skip' };
  const long = Array.from({ length: 12 }, (_, index) => ({ id: `s${index}`, type: 'list', entity: 'user', filters }));
  for (let index = 0; index <= 500; index++) {
    const name = `block${index}`;
    const steps = index < 72 ? long : long.slice(0, 1).map((step) => ({ ...step, filters: [] }));
    const started = index <= 50 ? { run_as: 'app', policies: [allow('getorder')], schedule } : {};
    folder.edit(`logicblock/${name}.json`, JSON.stringify({ name, steps, ...started }));
  }
  for (let index = 0; index <= 20; index++) {
    const name = `event${index}`;
    folder.edit(`event/${name}.json`, JSON.stringify(webhookEvent(name, 'https://example.com')));
  }
  const { problems = [] } = await bring(org, folder.packed());
  const warnings = problems.filter(({ code }) => code === 'conflict').map(({ message }) => message);
  assert.deepEqual(warnings.length, 4, JSON.stringify(problems));
  for (const bound of [
    /at most 500 items/,
    /at most 16777216 characters/,
    /at most 20 events/,
    /at most 50 logic blocks/,
  ])
    assert.ok(
      warnings.some((message) => bound.test(message)),
      `${bound}: ${warnings}`,
    );
});

/** The file with more said of one field. */
function withField(text: string, field: string, more: object): string {
  const content = JSON.parse(text) as { definition: { UpdateParams: { name: string }[] } };
  const { definition: whole } = content;
  const UpdateParams = whole.UpdateParams.map((one) => (one.name === field ? { ...one, ...more } : one));
  return JSON.stringify({ ...content, definition: { ...whole, UpdateParams } });
}

test('a setting is changed by an admin alone, also by an import, and not by a key', async () => {
  const org = await shop();
  const { key } = await newKey(org, 'publish');
  const archive = Folder.of(await download(org))
    .replace('settings/acl.cache_seconds.json', '5', '7')
    .packed();
  const { base, problems, refused } = await bring(org, archive, '', key);
  assert.deepEqual([problems, refused?.map(({ code }) => code)], [[], ['role_required']]);
  assertProblem(await tryImport(org, archive, `?base=${base}`, key), 'role_required');
  assert.equal((await bring(org, archive, `?base=${base}`)).applied, true);
});

test('what a caller may not change is named, stays as it is, and keeps nothing else from being changed', async () => {
  const org = await shop();
  const developer = await joinOrg(org, 'developer');
  const { key } = await newKey(org, 'publish');
  for (const [token, maxlength] of [
    [key, 101],
    [developer.token, 102],
  ] as const) {
    const folder = Folder.of(await download(org)).replace('settings/acl.cache_seconds.json', '5', '7');
    folder.edit('entity/order.json', withField(folder.read('entity/order.json'), 'title', { maxlength }));
    const archive = folder.packed();
    const shown = await bring(org, archive, '', token);
    assert.deepEqual([shown.problems, shown.items.map(({ name }) => name)], [[], ['order']]);
    const made = await bring(org, archive, `?base=${shown.base}`, token);
    for (const { refused } of [shown, made])
      assert.deepEqual(
        refused?.map(({ code, kind, name }) => [code, kind, name]),
        [['role_required', 'settings', 'acl.cache_seconds']],
      );
    assert.deepEqual([made.applied, made.items.map(({ name }) => name)], [true, ['order']]);
    const after = Folder.of(await download(org));
    assert.match(after.read('settings/acl.cache_seconds.json'), /5/);
    assert.match(after.read('entity/order.json'), new RegExp(`"maxlength": ?${maxlength}`));
  }
  // A removal is refused in the same way.
  const less = Folder.of(await download(org));
  less.run('rm', 'config/settings/acl.cache_seconds.json');
  const { base, refused } = await bring(org, less.packed(), '?remove=true', key);
  assert.deepEqual(
    refused?.map(({ name }) => name),
    ['acl.cache_seconds'],
  );
  assertProblem(await tryImport(org, less.packed(), `?remove=true&base=${base}`, key), 'role_required');
});

test('a template is compared in sentences, and an action that no entity has is named before it is pushed and activated', async () => {
  const org = await shop(provisionedOrg(gateways));
  const [{ key }, activator] = [await newKey(org, 'settings'), await newKey(org, 'activate')];
  const name = 'tenancy.workspace_templates';
  const folder = Folder.of(await download(org));
  const write = (Action: readonly string[]) => {
    const statements = [{ Effect: 'Allow', Action, Resource: ['*'] }];
    const value = { policies: [{ name: 'clerk', statements }], groups: [] };
    folder.edit(`settings/${name}.json`, JSON.stringify({ value }));
  };
  const compare = async () => {
    const { base, items, warnings } = await bring(org, folder.packed(), '', key);
    return { base, warnings, summary: items.find((item) => item.name === name)?.summary };
  };
  // The entity comes by the same push, so its actions are known.
  const appointment = { definition: { entityName: 'visit', UpdateParams: [{ name: 'place' }] } };
  folder.edit('entity/visit.json', JSON.stringify(appointment));
  write(['getvisit', 'getorder']);
  const first = await compare();
  assert.deepEqual(first.summary, [`setting \`${name}\`: policy \`clerk\` is new: it has 1 statement`]);
  assert.equal(first.warnings, undefined);
  await bring(org, folder.packed(), `?base=${first.base}`, key);
  write(['getvisitt', 'getorder']);
  const second = await compare();
  assert.deepEqual(second.summary, [
    `setting \`${name}\`: policy \`clerk\`: statement 1: \`Action\` gains \`getvisitt\` and loses \`getvisit\``,
  ]);
  const warning = `setting \`${name}\`: policy \`clerk\`: \`getvisitt\` is not an action of any entity (/statements/0/Action/0)`;
  assert.deepEqual(second.warnings, [warning]);
  const made = await bring(org, folder.packed(), `?base=${second.base}`, key);
  assert.deepEqual(made.warnings, [warning]);
  assert.equal((await manage(org, 'POST', '/deploy/publish', { token: key, body: { all: true } })).status, 201);
  interface Staged {
    readonly checks: readonly { readonly message: string; readonly level: string }[];
  }
  const { checks } = (await manage<Staged>(org, 'GET', '/deploy/staged', { token: activator.key })).body;
  assert.deepEqual(
    checks.filter(({ message }) => message === warning).map(({ level }) => level),
    ['warning'],
  );
});

test('a key of the scope settings carries workspace templates and texts of mails, and no setting of sign-in or access', async () => {
  const org = await shop();
  const { key } = await newKey(org, 'settings');
  const folder = Folder.of(await download(org)).replace('settings/acl.cache_seconds.json', '5', '7');
  const policy = { name: 'clerk', statements: [{ Effect: 'Allow', Action: ['getorder'], Resource: ['*'] }] };
  const settings = {
    'tenancy.workspace_templates': { policies: [policy], groups: [] },
    'tenancy.tenancy_type': 'multi',
    'auth.password_login': { enabled: false },
    'acl.escalation_check': false,
    'automation.http_hosts': [],
  };
  for (const [name, value] of Object.entries(settings)) folder.edit(`settings/${name}.json`, JSON.stringify({ value }));
  const mail = { subject: 'Welcome', text: 'Open {{link}}' };
  folder.edit('settings/mail.invitation.json', JSON.stringify({ value: mail }));
  const shown = await bring(org, folder.packed(), '', key);
  const carried = ['mail.invitation', 'tenancy.workspace_templates'];
  assert.deepEqual(shown.items.map(({ name }) => name).toSorted(), carried);
  assert.deepEqual(
    shown.refused?.map(({ code, name }) => [code, name]).toSorted(),
    [
      'acl.cache_seconds',
      'acl.escalation_check',
      'auth.password_login',
      'automation.http_hosts',
      'tenancy.tenancy_type',
    ].map((name) => ['role_required', name]),
  );
  const made = await bring(org, folder.packed(), `?base=${shown.base}`, key);
  assert.deepEqual(made.items.map(({ name }) => name).toSorted(), carried);
});

test('contents and files that are not valid are named, and nothing is written', async () => {
  const org = await shop();
  const before = await shownConfig(org, 'test');
  const bad: readonly (readonly [string, string, RegExp])[] = [
    ['entity/order.json', '{', /`config\/entity\/order.json` cannot be read/],
    ['entity/order.json', '{}', /entity `order`: /],
    ['entity/other.json', '{"definition": {"entityName": "elsewhere"}}', /entity `other`: /],
    ['settings/no.such.json', '{"value": 1}', /no setting `no.such`/],
    ['notes.txt', 'hello', /`config\/notes.txt` is not named config/],
    ['freehold.json', '{"format": 99}', /another format/],
  ];
  for (const [name, text, message] of bad) {
    const archive = Folder.of(await download(org))
      .edit(name, text)
      .packed();
    for (const query of ['', '?base=x', '?remove=true&force=true'])
      assert.match(assertProblem(await tryImport(org, archive, query), 'validation_failed').detail, message);
  }
  for (const junk of ['hello', '', 'x'.repeat(10_000)]) assertProblem(await tryImport(org, junk), 'validation_failed');
  assert.deepEqual(await shownConfig(org, 'test'), before);
});

test('an import takes a tar file, into test, with the parameters that it knows', async () => {
  const org = await shop();
  const archive = await download(org);
  const url = `${org.management}/deploy/import`;
  const { token } = org.builder;
  assertProblem(await call('POST', url, { token, body: {} }), 'unsupported_media_type');
  const gzip = { 'content-type': 'application/gzip' };
  assertProblem(await call('POST', url, { token, body: archive, headers: gzip }), 'unsupported_media_type');
  assertProblem(await tryImport(org, archive, '?env=prod'), 'prod_read_only');
  for (const query of ['?remove=maybe', '?force=1', '?dry_run=true', '?base=a&base=b'])
    assertProblem(await tryImport(org, archive, query), 'invalid_request');
  assertProblem(await manage(org, 'GET', '/deploy/export?format=zip'), 'invalid_request');
  assertProblem(await manage(org, 'GET', '/deploy/export?env=staging'), 'invalid_request');
  assertProblem(await manage(org, 'GET', '/deploy/export?env=prod'), 'conflict');
});

test('Q09: an archive with links, names of other places, twins, or what is not there changes nothing', async () => {
  const org = await shop();
  const before = await shownConfig(org, 'test');
  const { base } = await bring(org, tarOf(manifestEntry));
  const block = (name: string): TarEntry => ({
    name: `config/logicblock/${name}.json`,
    content: JSON.stringify({ name, steps: [{ id: 'all', type: 'list', entity: 'order' }] }),
  });
  const good = block('good');
  const wrong: Readonly<Record<string, Buffer>> = {
    'a symbolic link': tarOf(manifestEntry, good, { ...block('a'), kind: '2', link: '/etc/passwd' }),
    'a hard link': tarOf(manifestEntry, good, { ...block('a'), kind: '1', link: good.name }),
    'a link chain': tarOf(
      manifestEntry,
      good,
      { name: 'config/logicblock', kind: '2', link: '/etc' },
      { name: 'config/a', kind: '1', link: 'config/logicblock/passwd' },
    ),
    'a path that leaves the folder': tarOf(manifestEntry, good, {
      ...block('a'),
      name: 'config/../config/logicblock/a.json',
    }),
    'an absolute path': tarOf(manifestEntry, good, { ...block('a'), name: '/config/logicblock/a.json' }),
    'a backslash': tarOf(manifestEntry, good, { ...block('a'), name: '..\\config/logicblock/a.json' }),
    'backslashes alone': tarOf(manifestEntry, good, { ...block('a'), name: 'config\\logicblock\\a.json' }),
    'twins in Unicode': tarOf(manifestEntry, good, block('n\u00f6te'), block('no\u0308te')),
    'a name that differs in case': tarOf(manifestEntry, good, block('Good')),
    'an entry twice': tarOf(manifestEntry, good, good),
    'the manifest twice': tarOf(manifestEntry, good, manifestEntry),
    'a size beyond the archive': tarOf(manifestEntry, good, { ...block('a'), size: 8 ** 11 - 1 }),
    'a truncated archive': tarOf(manifestEntry, good).subarray(0, -1024),
  };
  for (const [what, archive] of Object.entries(wrong))
    for (const query of ['', `?base=${base}`, `?base=${base}&remove=true&force=true`]) {
      const reply = await tryImport(org, archive, query);
      assert.equal(reply.status, 400, `${what}: ${reply.text}`);
      assertProblem(reply, 'validation_failed');
    }
  assert.deepEqual(await shownConfig(org, 'test'), before);
  assert.equal((await bring(org, tarOf(manifestEntry, good), `?base=${base}`)).applied, true);
});

test('Q09: ten gigabytes without a length are refused after 32 MB, and taken no further', async () => {
  const org = await signUp(gateways);
  const { hostname, port } = new URL(org.management);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket
    .on('error', () => undefined)
    .on('data', (data) => {
      answer += String(data);
    });
  const next = (event: string) => new Promise((resolve) => socket.once(event, resolve));
  const closed = next('close');
  const lines = ['POST /deploy/import HTTP/1.1', 'Host: x', `Authorization: Bearer ${org.builder.token}`];
  const framing = ['Content-Type: application/x-tar', 'Transfer-Encoding: chunked', '', ''];
  socket.write([...lines, ...framing].join('\r\n'));
  const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
  let sent = 0;
  for (; sent < 10 * 1024 ** 3 && !socket.destroyed; sent += chunk.length)
    if (!socket.write(chunk)) await Promise.race([next('drain'), closed]);
  await closed;
  assert.match(answer, /^HTTP\/1\.1 413 /);
  assert.ok(sent < 256 * 1024 ** 2, `${sent} bytes were taken`);
});

test('an archive is taken up to 32 MB', async () => {
  const org = await signUp(gateways);
  const reply = await tryImport(org, Buffer.alloc(32 * 1024 * 1024 + 1));
  assertProblem(reply, 'body_too_large');
});

test('an import is one change, which the audit log and the history of each item tell of', async () => {
  const org = await shop();
  const archive = Folder.of(await download(org))
    .replace('entity/order.json', '"title"', '"headline"')
    .replace('entity/customer.json', '"name": "name"', '"name": "fullname"')
    .packed();
  const key = await newKey(org, 'publish');
  const { base } = await bring(org, archive, '', key.key);
  const { version } = await bring(org, archive, `?base=${base}`, key.key);
  const log = await manage<{
    items: readonly { action: string; actor: object; target: { id: string }; detail: object }[];
  }>(org, 'GET', '/audit?pagesize=10');
  const entries = log.body.items.filter(({ action }) => action === 'entity.changed');
  assert.deepEqual(entries.map(({ target }) => target.id).toSorted(), ['customer', 'order']);
  for (const { actor, detail } of entries) {
    assert.deepEqual(actor, { kind: 'deploy_key', id: key.id });
    assert.deepEqual(detail, { version });
  }
  for (const name of ['order', 'customer']) {
    const path = `/config/entity/${name}/versions`;
    const versions = await manage<{ items: readonly { version: number; actor: object }[] }>(org, 'GET', path);
    assert.equal(versions.body.items[0]?.version, version);
    assert.deepEqual(versions.body.items[0]?.actor, { kind: 'deploy_key', id: key.id });
  }
});

test('one org imports and exports nothing of another', async () => {
  const [org, neighbour] = [await shop(), await signUp(gateways)];
  const { key } = await newKey(neighbour, 'publish');
  const folder = Folder.of(await download(org));
  folder.run('rm', '-r', 'config/settings');
  const archive = folder.packed();
  assert.equal(Folder.of(await download(org, key)).run('find', 'config', '-name', 'order.json'), '');
  const { base } = await bring(org, archive);
  assertProblem(await tryImport(org, archive, `?base=${base}`, key), 'version_mismatch');
  assert.deepEqual(names((await bring(org, archive, '', key)).items), ['entity customer', 'entity order']);
});

test('production is exported once there is one, and holds what was activated', async () => {
  const org = await shop();
  await provision(org);
  const folder = Folder.of(await download(org, undefined, '?env=prod'));
  assert.equal(folder.run('find', 'config', '-type', 'f'), 'config/freehold.json\n');
  await publish(org);
  await activate(org);
  assert.ok((await download(org, undefined, '?env=prod')).equals(await download(org)));
  assert.deepEqual(await diff(org), []);
});
