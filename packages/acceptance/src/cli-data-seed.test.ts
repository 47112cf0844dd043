/** `freehold seed`: files that become users, workspaces and records, once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cli, folderWith, signedIn, writeFiles } from './cli-data.ts';
import { type AppUser, act, defineEntity, definition, list, type Org, signIn, signUp } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { putSetting } from './workspaces.ts';

const gateways = await platformForTests();

async function orgWithTickets(): Promise<Org> {
  const org = await signUp(gateways);
  await defineEntity(org, {
    ...definition('customer', [
      { name: 'name' },
      { name: 'opened_at', colType: 'datetime' },
      { name: 'pin', colType: 'encrypted' },
    ]),
    UniqueIndexes: [{ indexName: 'by_name', fields: ['name'] }],
  });
  await defineEntity(
    org,
    definition('ticket', [
      { name: 'number', colType: 'integer' },
      { name: 'title' },
      { name: 'tags', colType: 'array', items: { colType: 'string' } },
      { name: 'customer_id', colType: 'guid', lookup: { entity: 'customer' } },
      { name: 'follows', colType: 'guid', lookup: { entity: 'ticket' } },
      { name: 'agent_id', colType: 'guid', lookup: { entity: 'user' } },
    ]),
  );
  return org;
}

const files = (ann: string, bob: string) => ({
  'seeds/users.yaml': `
- { email: ${ann}, password: correct horse battery, fn: Ann, ln: Lind }
- { email: ${bob}, password: correct horse battery, policies: [clerk] }
`,
  'seeds/aclpolicy.jsonl':
    '{"name":"clerk","statements":[{"Effect":"Allow","Action":["createticket"],"Resource":["*"]}]}\n',
  'seeds/keys.yaml': 'ticket: number\n',
  'seeds/ticket.csv': `number,title,tags,customer_id,follows,agent_id
2,"second, of all","[""x"",""y""]",@customer.name=Acme,@ticket.number=1,@user.email=${bob}
1,@@home,,@customer.name=Acme,,
`,
  'seeds/customer.jsonl': '{"name":"Acme","opened_at":"2026-01-01T01:00:00+01:00","pin":"1234"}\n',
});

const stateOf = async (user: AppUser) => {
  const entities = ['customer', 'ticket', 'user', 'aclpolicy', 'useraclpolicy'];
  const pages = await Promise.all(entities.map((entity) => list(user, entity, '?pagesize=200')));
  return JSON.stringify(pages.map(({ items }) => items));
};

const emails = (org: Org) => [`ann@${org.code}.example`, `bob@${org.code}.example`] as const;

test('seeds become users, policies and records in the order of their references, and a second run changes nothing', async () => {
  const org = await orgWithTickets();
  const [ann, bob] = emails(org);
  const cwd = folderWith(files(ann, bob));
  const env = signedIn(org);
  const dry = await cli(['seed', '--dry-run', '--json'], { cwd, env });
  assert.deepEqual([dry.code, dry.json.people, dry.json.created], [0, 3, 4], dry.stdout);
  const first = await cli(['seed', '--json'], { cwd, env });
  assert.equal(first.code, 0, first.stdout);
  assert.deepEqual(first.json, { people: 3, created: 4, updated: 0, unchanged: 0, dry_run: false });
  const user = await signIn(org, ann);
  const { items } = await list(user, 'ticket', '?sortby=created_at&sortdir=asc&expand=customer_id,follows,agent_id');
  const [one, two] = items as unknown as readonly Record<string, { name?: string; number?: number; email?: string }>[];
  assert.deepEqual([one?.number, one?.title], [1, '@home']);
  assert.deepEqual([two?.number, two?.title, two?.tags], [2, 'second, of all', ['x', 'y']]);
  const before = await stateOf(user);
  const second = await cli(['seed', '--json'], { cwd, env });
  assert.deepEqual(second.json, { people: 0, created: 0, updated: 0, unchanged: 4, dry_run: false });
  assert.equal(await stateOf(user), before);
  const clerk = await signIn(org, bob);
  assert.equal((await act(clerk, 'POST', '/create/ticket', { body: { number: 9 } })).status, 201);
  writeFiles(cwd, { 'seeds/customer.jsonl': '{"name":"Acme","opened_at":"2026-02-01T00:00:00Z"}\n' });
  const third = await cli(['seed', '--json'], { cwd, env });
  assert.deepEqual([third.json.created, third.json.updated, third.json.unchanged], [0, 1, 3]);
});

test('a second run changes nothing, in whichever of its forms a value is written', async () => {
  const org = await orgWithTickets();
  await defineEntity(org, {
    ...definition('tag', [
      { name: 'name' },
      { name: 'count', colType: 'number' },
      { name: 'seen_at', colType: 'datetime' },
      { name: 'seen', colType: 'array', items: { colType: 'datetime' } },
      { name: 'of', colType: 'array', items: { colType: 'guid' } },
      { name: 'more', colType: 'json' },
    ]),
    UniqueIndexes: [{ indexName: 'by_name', fields: ['name'], ignoreCase: true }],
  });
  const time = '2026-01-01t01:00:00.123456+01:00';
  const of = ['ABCDEF00-AC96-774B-BCCE-B302099A8057'];
  const row = { name: 'VIP', count: 0, seen_at: time, seen: [time], of, more: { x: 0 } };
  const cwd = folderWith({
    'seeds/tag.jsonl': `${JSON.stringify(row).replaceAll(/"(count|x)":0/g, '"$1":-0')}\n`,
    'seeds/aclpolicy.jsonl': '{"name":"Clerk","statements":[]}\n',
  });
  await signIn(org);
  const env = signedIn(org);
  const run = async (...args: string[]) => {
    const { json, stdout } = await cli(['seed', '--json', ...args], { cwd, env });
    return [json.created, json.updated, json.unchanged, json.error === undefined ? '' : stdout];
  };
  assert.deepEqual(await run(), [2, 0, 0, '']);
  assert.deepEqual(await run(), [0, 0, 2, '']);
  // The case of its key makes no other record.
  writeFiles(cwd, { 'seeds/tag.jsonl': '{"name":"vip"}\n', 'seeds/aclpolicy.jsonl': '{"name":"CLERK"}\n' });
  for (const expected of [
    [0, 2, 0, ''],
    [0, 0, 2, ''],
  ]) {
    assert.deepEqual(await run('--dry-run'), expected);
    assert.deepEqual(await run(), expected);
  }
  writeFiles(cwd, { 'seeds/tag.jsonl': '{"name":"vip"}\n{"name":"Vip"}\n' });
  const twice = await cli(['seed'], { cwd, env });
  assert.match(twice.stderr, /tag.jsonl:2: has the name of seeds\/tag.jsonl:1/);
  writeFiles(cwd, {
    'seeds/tag.jsonl': '',
    'seeds/tag.csv': 'name,count,seen_at\nhex,0x1F,2026-01-01T00:00:00.5555Z\n',
  });
  const hex = await cli(['seed'], { cwd, env });
  assert.equal(hex.code, 2);
  assert.match(hex.stderr, /tag.csv:2: \/count/);
});

test('workspaces are founded by their users, and folders name them', async () => {
  const org = await orgWithTickets();
  await putSetting(org, 'tenancy', 'tenancy_type', 'multi');
  const [ann, bob] = emails(org);
  const cwd = folderWith({
    'seeds/users.yaml': `
- { email: ${ann}, password: correct horse battery, workspaces: [north] }
- { email: ${bob}, password: correct horse battery, workspaces: [north, south] }
`,
    'seeds/workspaces.yaml': `
- { code: north, name: North, founder: ${ann} }
- { code: south, name: South, founder: ${bob} }
`,
    'seeds/north/customer.jsonl': '{"name":"Acme"}\n',
    'seeds/south/customer.jsonl': '{"name":"Acme"}\n{"name":"Blue"}\n',
  });
  const env = signedIn(org);
  const first = await cli(['seed', '--json'], { cwd, env });
  assert.deepEqual([first.code, first.json.people, first.json.created], [0, 3, 3], first.stdout + first.stderr);
  const second = await cli(['seed', '--json'], { cwd, env });
  assert.deepEqual([second.json.people, second.json.created, second.json.unchanged], [0, 0, 3]);
  const north = await cli(['records', 'list', 'customer', '--workspace', 'north', '--as', bob, '--json'], { cwd, env });
  assert.equal((north.json.items as readonly unknown[]).length, 1);
  const unnamed = await cli(['records', 'list', 'customer', '--json'], { cwd, env });
  assert.match(JSON.stringify(unnamed.json), /several workspaces: `north`, `south`/);
});

test('mistakes are named before anything is written: cycles, unknown entities, keys, references and rows', async () => {
  const org = await orgWithTickets();
  const founder = await signIn(org);
  const env = signedIn(org);
  const bad: readonly (readonly [files: Readonly<Record<string, string>>, expected: RegExp])[] = [
    [
      { 'ticket.jsonl': '{"number":1,"follows":"@ticket.number=2"}\n{"number":2,"follows":"@ticket.number=1"}\n' },
      /seeds\/ticket.jsonl:1 → seeds\/ticket.jsonl:2 → seeds\/ticket.jsonl:1/,
    ],
    [{ 'nothing.jsonl': '{"x":1}\n' }, /nothing: test has no such entity: `freehold entity list`/],
    [{ 'keys.yaml': '', 'ticket.jsonl': '{"number":1}\n' }, /ticket: say in keys.yaml which fields name a record/],
    [{ 'ticket.jsonl': '{"number":1}\n{"number":1}\n' }, /ticket.jsonl:2: has the number of seeds\/ticket.jsonl:1/],
    [{ 'ticket.jsonl': '{"title":"x"}\n' }, /ticket.jsonl:1: `number` names the record, and has no value/],
    [{ 'ticket.jsonl': '{"number":1,"customer_id":"@customer"}\n' }, /ticket.jsonl:1: `@customer` is no reference/],
    [{ 'customer.csv': `name\n"${'x'.repeat(1_100_000)}"\n` }, /customer.csv: line 2: the row is longer than 1 MiB/],
    [{ 'ticket.jsonl': '{"number":1,"customer_id":"@customer.name=Gone"}\n' }, /`@customer.name=Gone` names no record/],
    [{ 'ticket.jsonl': '{"number":1,"titel":"x"}\n' }, /ticket.jsonl:1: \/titel/],
  ];
  for (const [given, expected] of bad) {
    const named = Object.entries({ 'keys.yaml': 'ticket: number\n', ...given }).map(([name, text]) => [
      `seeds/${name}`,
      text,
    ]);
    const run = await cli(['seed'], { cwd: folderWith(Object.fromEntries(named)), env });
    assert.equal(run.code, 2, run.stderr);
    assert.match(run.stderr, expected);
  }
  for (const entity of ['ticket', 'customer']) assert.equal((await list(founder, entity)).items.length, 0);
  const none = await cli(['seed'], { cwd: folderWith(), env });
  assert.equal(none.code, 2);
});
