/** Configuration as files: what `freehold pull`, `push` and `diff` read, write and send. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  CliProject,
  type CommandRun,
  fakePlatform,
  manifestEntry,
  pulledProject,
  type RunOptions,
  sessionOf,
  type TarEntry,
  tarOf,
} from './cli-run.ts';
import { download, newKey } from './deploy.ts';
import { create, defineEntity, definition, manage, newEmail, type Org, signIn, signUp } from './org.ts';
import { temporaryDirectory } from './platform.ts';
import { platformForTests, platformOf } from './platform-for-tests.ts';

const gateways = await platformForTests();

interface Plan {
  readonly applied: boolean;
  readonly items: readonly { readonly kind: string; readonly name: string; readonly change: string }[];
  readonly problems: readonly { readonly code: string }[];
}

async function orgWithKey(...entities: readonly string[]): Promise<{ readonly org: Org; readonly key: string }> {
  const org = await signUp(gateways);
  for (const name of entities)
    await defineEntity(org, definition(name, [{ name: 'title' }, { name: 'state', colType: 'string' }]));
  return { org, key: (await newKey(org, 'publish')).key };
}

const changes = ({ items }: Plan) => items.map(({ kind, name, change }) => `${change} ${kind} ${name}`);

test('a pull writes a file for each item, a second one writes nothing, and a push of both changes nothing', async () => {
  const { org, key } = await orgWithKey('note', 'ticket');
  const project = await pulledProject(org, key);
  assert.deepEqual(readdirSync(join(project.root, 'config/entity')), ['note.yaml', 'ticket.yaml']);
  assert.match(project.read('config/entity/note.yaml'), /^definition:\n {2}entityName: note\n/);
  const before = statSync(join(project.root, 'config/entity/note.yaml'), { bigint: true });
  const again = await project.json<{ readonly files: unknown[] }>(['pull']);
  assert.deepEqual(again.files, []);
  const after = statSync(join(project.root, 'config/entity/note.yaml'), { bigint: true });
  assert.deepEqual([after.ino, after.mtimeNs], [before.ino, before.mtimeNs]);
  await project.ends(0, ['diff']);
  assert.deepEqual((await project.json<Plan>(['push'])).items, []);
});

test('a push shows its plan in sentences, asks, and changes test; a pull keeps comments', async () => {
  const { org, key } = await orgWithKey('note');
  const project = await pulledProject(org, key);
  const file = 'config/entity/note.yaml';
  project.write(
    file,
    `# Notes of the desk.\n${project.read(file).replace('- name: title\n', '- name: title # shown first\n      validate: true\n')}`,
  );
  const shown = await project.ends(0, ['push', '--dry-run']);
  assert.match(
    shown.stdout,
    new RegExp(`^${org.code} at \\S+, test: 0 added, 1 changed, 0 removed\n~ entity note\n {4}`),
  );
  const result = await project.ends(3, ['push']);
  assert.match(result.stderr, /there is no terminal to ask: Change test of .*\n→ add `--yes`/);
  await project.ends(1, ['diff']);
  await project.ends(0, ['push', '--yes']);
  await project.ends(0, ['diff']);
  await defineField(org, 'note', { name: 'added' });
  await project.ends(3, ['pull']);
  await project.ends(0, ['pull', '--yes']);
  const text = project.read(file);
  for (const part of ['# Notes of the desk.\n', '- name: title # shown first\n', '- name: added\n'])
    assert.ok(text.includes(part), text);
});

async function defineField(org: Org, entity: string, field: object): Promise<void> {
  const reply = await manage(org, 'PUT', `/api/create-${entity}`, { body: { UpdateParams: [field] } });
  assert.equal(reply.status, 200, reply.text);
}

test('Q06: what takes something out wants the name of the org, and shows org, environment and counts before', async () => {
  const { org, key } = await orgWithKey('note', 'ticket');
  const project = await pulledProject(org, key);
  rmSync(join(project.root, 'config/entity/ticket.yaml'));
  assert.deepEqual((await project.json<Plan>(['push', '--yes'])).items, []);
  for (const yes of [[], ['--yes'], ['--yes=other']]) {
    const { stderr } = await project.ends(3, ['push', '--prune', ...yes]);
    assert.ok(
      stderr.startsWith(`${org.code} at ${org.management}, test: 0 added, 0 changed, 1 removed\n- entity ticket\n`),
      stderr,
    );
  }
  await project.ends(0, ['pull']);
  assert.ok(existsSync(join(project.root, 'config/entity/ticket.yaml')));
  rmSync(join(project.root, 'config/entity/ticket.yaml'));
  const plan = await project.json<Plan>(['push', '--prune', `--yes=${org.code}`]);
  assert.deepEqual([plan.applied, changes(plan)], [true, ['removed entity ticket']]);
  project.write('config/entity/note.yaml', project.read('config/entity/note.yaml').replace('    - name: title\n', ''));
  await project.ends(3, ['push', '--yes']);
  await project.ends(0, ['push', `--yes=${org.code}`]);
});

test('records that break a new definition keep a push from being made, until `--force`', async () => {
  const { org, key } = await orgWithKey('note');
  await create(await signIn(org, newEmail('founder')), 'note', { title: 'a' });
  const project = await pulledProject(org, key);
  const text = project.read('config/entity/note.yaml');
  project.write('config/entity/note.yaml', text.replace('- name: state\n', '- name: state\n      validate: true\n'));
  const { stdout } = await project.ends(1, ['push', '--yes']);
  assert.match(stdout, /this keeps the change from being made:\n {2}entity note: /);
  assert.deepEqual(
    ((await project.json<Plan>(['push', '--yes'])).problems ?? []).map(({ code }) => code),
    ['conflict'],
  );
  await project.ends(0, ['push', '--yes', '--force']);
});

test('mistakes of files are named by file, all at once; a mistake of a definition by the platform, with its place', async () => {
  const { org, key } = await orgWithKey('note');
  const project = await pulledProject(org, key);
  project.write('config/entity/broken.yaml', 'a: [1\n');
  project.write('config/entity/twice.yaml', 'a: 1\na: 2\n');
  const { stderr } = await project.ends(2, ['push']);
  for (const part of ['entity/broken.yaml: ', 'entity/twice.yaml: ', 'nothing was sent'])
    assert.ok(stderr.includes(part), stderr);
  for (const name of ['broken', 'twice']) rmSync(join(project.root, `config/entity/${name}.yaml`));
  project.write(
    'config/entity/note.yaml',
    project.read('config/entity/note.yaml').replace('colType: string', 'colType: strin'),
  );
  const refused = await project.ends(2, ['push']);
  assert.match(refused.stderr, /validation_failed, request \S+\)\n {2}.*entity `note`/s);
  rmSync(join(project.root, 'config'), { recursive: true });
  mkdirSync(join(project.root, 'config'));
  assert.match((await project.ends(2, ['push', '--prune', `--yes=${org.code}`])).stderr, /there are no items/);
  assert.equal((await manage<{ items: unknown[] }>(org, 'GET', '/api/entities')).body.items.length, 1);
});

test('Q03: a folder with links, hard links, loops and pipes is refused by name, and nothing of it is sent', async () => {
  const fake = await fakePlatform(() => ({ body: {} }));
  const project = new CliProject();
  await project.ends(0, ['init', '--url', fake.url, '--org', 'acme']);
  project.write('config/entity/note.yaml', 'definition: {}\n');
  const secret = join(temporaryDirectory(), 'secret.yaml');
  writeFileSync(secret, 'canary: outside\n');
  const folder = join(project.root, 'config');
  symlinkSync(secret, join(folder, 'entity/linked.yaml'));
  linkSync(secret, join(folder, 'entity/hard.yaml'));
  symlinkSync('..', join(folder, 'entity/loop'));
  symlinkSync(folder, join(folder, 'event'));
  execFileSync('mkfifo', [join(folder, 'entity/pipe.yaml')]);
  const env = { FREEHOLD_TOKEN: `fhd_${'x'.repeat(43)}` };
  for (const words of [['push', '--yes=acme'], ['push', '--prune', '--yes=acme'], ['diff']]) {
    const { stderr } = await project.ends(2, words, { env });
    for (const name of ['entity/linked.yaml', 'entity/hard.yaml', 'entity/loop', 'event', 'entity/pipe.yaml'])
      assert.ok(stderr.includes(`\`${name}\``), `${name}\n${stderr}`);
  }
  assert.deepEqual(fake.requests, []);
});

test('Q03: a pull writes through no link, and leaves what it leads to as it was', async () => {
  const fake = await fakePlatform(() => ({
    body: tarOf(manifestEntry, { name: 'config/entity/note.json', content: '{"a":1}' }),
  }));
  const outside = temporaryDirectory();
  const env = { FREEHOLD_TOKEN: `fhd_${'x'.repeat(43)}` };
  for (const link of ['config', 'config/entity', 'config/entity/note.yaml']) {
    const project = new CliProject();
    await project.ends(0, ['init', '--url', fake.url, '--org', 'acme']);
    rmSync(join(project.root, 'config'), { recursive: true });
    mkdirSync(join(project.root, link, '..'), { recursive: true });
    symlinkSync(link.endsWith('.yaml') ? join(outside, 'note.yaml') : outside, join(project.root, link));
    const { stderr } = await project.ends(2, ['pull', '--yes'], { env });
    assert.match(stderr, /is a symbolic link/, link);
    assert.deepEqual(readdirSync(outside), []);
  }
});

test('Q06: an older command removes nothing that it does not know', async () => {
  const items: readonly TarEntry[] = [
    manifestEntry,
    { name: 'config/entity/note.json', content: '{"definition":{"entityName":"note","newMember":[1]},"views":{}}' },
    { name: 'config/hologram/lobby.json', content: '{"beam":{"watts":7}}' },
  ];
  const fake = await fakePlatform(({ method }) =>
    method === 'GET' ? { body: tarOf(...items) } : { body: { base: 'b', applied: true, items: [], problems: [] } },
  );
  const project = new CliProject();
  await project.ends(0, ['init', '--url', fake.url, '--org', 'acme']);
  const env = { FREEHOLD_TOKEN: `fhd_${'x'.repeat(43)}` };
  await project.ends(0, ['pull'], { env });
  assert.equal(project.read('config/hologram/lobby.yaml'), 'beam:\n  watts: 7\n');
  assert.match(project.read('config/entity/note.yaml'), /newMember:\n {4}- 1\n/);
  const sent = () => (fake.requests.findLast(({ method }) => method === 'POST')?.body ?? '').toString();
  await project.ends(0, ['push', '--prune', '--yes=acme'], { env });
  for (const part of ['config/hologram/lobby.json', '"watts":7', '"newMember":[1]'])
    assert.ok(sent().includes(part), part);
  rmSync(join(project.root, 'config/hologram'), { recursive: true });
  await project.ends(0, ['push', '--prune', '--yes=acme'], { env });
  for (const part of ['config/hologram/lobby.json', '"watts":7']) assert.ok(sent().includes(part), part);
});

test('Q09: an archive that is no export of a platform is refused before the first file is written', async () => {
  const note: TarEntry = { name: 'config/entity/note.json' };
  const hostile: Readonly<Record<string, Buffer>> = {
    'a path that leaves the folder': tarOf(manifestEntry, note, { name: 'config/entity/../../../x.json' }),
    'an absolute path': tarOf(manifestEntry, note, { name: '/x.json' }),
    'a backslash': tarOf(manifestEntry, note, { name: 'config/entity/..\\x.json' }),
    'a symbolic link': tarOf(manifestEntry, note, { name: 'config/entity/x.json', kind: '2', link: '/etc/passwd' }),
    'a hard link': tarOf(manifestEntry, note, { name: 'config/entity/x.json', kind: '1', link: '/etc/passwd' }),
    'a link chain': tarOf(
      manifestEntry,
      note,
      { name: 'config/entity', kind: '2', link: '/' },
      { name: 'config/entity/etc/x.json' },
    ),
    'a device': tarOf(manifestEntry, note, { name: 'config/entity/x.json', kind: '3' }),
    'twins in Unicode': tarOf(
      manifestEntry,
      note,
      { name: 'config/entity/n\u00f6te.json' },
      { name: 'config/entity/no\u0308te.json' },
    ),
    'names that differ in case': tarOf(manifestEntry, note, { name: 'config/entity/Note.json' }),
    'an entry twice': tarOf(manifestEntry, note, note),
    'a size beyond the archive': tarOf(manifestEntry, note, { name: 'config/entity/x.json', size: 8 ** 11 - 1 }),
    'another format': tarOf({ ...manifestEntry, content: '{"format":2}' }, note),
    'no manifest': tarOf(note),
    'no JSON': tarOf(manifestEntry, note, { name: 'config/entity/x.json', content: '{' }),
    'a truncated archive': tarOf(manifestEntry, note).subarray(0, 2 * 512 + 100),
    'no archive': Buffer.from('<html>'),
  };
  let archive = Buffer.alloc(0);
  const fake = await fakePlatform(() => ({ body: archive }));
  const env = { FREEHOLD_TOKEN: `fhd_${'x'.repeat(43)}` };
  const project = new CliProject();
  await project.ends(0, ['init', '--url', fake.url, '--org', 'acme']);
  for (const [what, bytes] of Object.entries(hostile)) {
    archive = Buffer.from(bytes);
    const { stderr } = await project.ends(2, ['pull', '--yes'], { env });
    assert.match(stderr, /the export of the platform cannot be read/, what);
    assert.deepEqual(readdirSync(join(project.root, 'config')), [], what);
  }
});

test('Q05: no secret of any kind gets into a file, a plan or a message; a push of its name keeps its value', async (context) => {
  const platform = await platformOf(context);
  const org = await signUp(platform);
  const canary = 'canary4f1b9c';
  await defineEntity(org, definition('note', [{ name: 'title' }, { name: 'pin', colType: 'encrypted' }]));
  const secret = await manage(org, 'PUT', '/secrets/billing', {
    body: { value: `${canary}-vault`, hosts: ['api.example.com'] },
  });
  assert.equal(secret.status, 200, secret.text);
  const steps = [
    {
      id: 'call',
      type: 'http',
      method: 'GET',
      url: 'https://api.example.com/',
      secret: { name: 'billing', header: 'x-api-key' },
    },
  ];
  const block = await manage(org, 'POST', '/config/logicblock', {
    body: { name: 'bill', content: { name: 'bill', steps } },
  });
  assert.equal(block.status, 201, block.text);
  await create(await signIn(org, newEmail('founder')), 'note', { title: 'a', pin: `${canary}-pin` });
  const { key } = await newKey(org, 'publish');
  const project = await pulledProject(org, key);
  const secrets = [canary, key, org.builder.token, org.builder.password];
  const runs: CommandRun[] = [];
  const run = async (code: number, words: readonly string[], options: RunOptions = {}): Promise<void> => {
    runs.push(await project.ends(code, words, options));
  };
  const note = 'config/entity/note.yaml';
  project.write(note, project.read(note).replace('- name: title\n', '- name: title\n      maxlength: 50\n'));
  await run(1, ['diff']);
  await run(1, ['diff', '--json']);
  await run(0, ['push', '--dry-run']);
  await run(0, ['push', '--yes', '--json']);
  await run(0, ['pull', '--yes']);
  await run(0, ['whoami']);
  await run(0, ['profiles', '--json']);
  const bill = 'config/logicblock/bill.yaml';
  project.write(bill, project.read(bill).replace('https://api.example.com/', 'https://api.example.com/v2'));
  await run(0, ['push', '--yes']);
  await run(2, ['push'], { env: { FREEHOLD_TOKEN: key, FREEHOLD_PROFILE: 'x' } });
  await run(2, ['login', '--key-stdin'], { input: `${key}x\n${canary}` });
  writeFileSync(join(project.settings, 'file'), '');
  const noFolder = { XDG_CONFIG_HOME: join(project.settings, 'file') };
  await run(2, ['login', '--key-stdin'], { input: key, env: noFolder });
  // A crash, over a reply that repeats what was sent.
  const odd = await fakePlatform(({ headers }) => ({ body: { items: { headers } } }));
  const elsewhere = new CliProject();
  const env = { FREEHOLD_TOKEN: key, FREEHOLD_URL: odd.url, FREEHOLD_ORG: 'acme' };
  const crash = await elsewhere.ends(2, ['diff', '--prod'], { env });
  assert.match(crash.stderr, /internal_error/);
  runs.push(crash, await elsewhere.ends(2, ['diff', '--prod', '--json'], { env }));
  const files = readdirSync(project.root, { recursive: true, encoding: 'utf8' })
    .map((name) => join(project.root, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'utf8'));
  const exported = (await download(org)).toString();
  for (const text of [...runs.map(({ output }) => output), ...files, exported, platform.stderr(), platform.stdout()])
    for (const one of secrets) assert.ok(!text.includes(one), text);
  assert.match(project.read('config/logicblock/bill.yaml'), /name: billing/);
  const [kept] = (await manage<{ items: { name: string; updated_at: string }[] }>(org, 'GET', '/secrets')).body.items;
  assert.equal(kept?.updated_at, (secret.body as { readonly updated_at: string }).updated_at);
});

test('settings are the admin’s: a session of one pushes them, and a key is refused by name', async () => {
  const { org, key } = await orgWithKey('note');
  const project = await pulledProject(org, key);
  project.write('config/settings/auth.allowed_domains.yaml', 'value: [example.com]\n');
  const { stdout } = await project.ends(1, ['push', '--yes']);
  assert.match(stdout, /settings auth.allowed_domains: .*\(role_required\)/);
  await project.ends(0, ['push', '--yes'], { env: sessionOf(org) });
});
