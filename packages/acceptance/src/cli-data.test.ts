/** Entities and records by the command of builders, in the words of a script. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type CliRun, cli, folderWith, signedIn } from './cli-data.ts';
import { act, allow, foundedOrg, list, memberWith, random } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const { org, founder } = await foundedOrg(await platformForTests());
const env = signedIn(org);

const words = 'title:string:required number:string:unique amount:number status:enum=open|paid:index'.split(' ');

async function newEntity(...more: readonly string[]): Promise<string> {
  const name = `order_${random()}`;
  const made = await run(['entity', 'create', name, '--field', ...words, ...more]);
  assert.equal(made.code, 0, made.stderr);
  return name;
}

function run(given: readonly string[], cwd = folderWith(), stdin = ''): Promise<CliRun> {
  return cli(given, { cwd, env, stdin });
}

const codeOf = ({ json }: CliRun) => (json.error as { readonly code: string }).code;

test('an entity is created by words, listed, shown, and deleted by the name of the org', async () => {
  const name = await newEntity();
  const listed = await run(['entity', 'list', '--json']);
  const items = listed.json.items as readonly { readonly name: string; readonly records: number }[];
  assert.equal(items.find((item) => item.name === name)?.records, 0);
  const shown = await run(['entity', 'show', name]);
  assert.match(shown.stdout, /^status +enum +.*enumValues=\["open","paid"\]/m);
  assert.match(shown.stdout, /^index by_number \(unique, ready\)$/m);
  const unconfirmed = await run(['entity', 'delete', name]);
  assert.deepEqual([unconfirmed.code, unconfirmed.stdout], [3, '']);
  assert.match(unconfirmed.stderr, new RegExp(`--yes=${org.code}`));
  assert.equal((await run(['entity', 'delete', name, '--yes=other'])).code, 3);
  assert.equal((await run(['entity', 'delete', name, `--yes=${org.code}`])).code, 0);
  const gone = await run(['entity', 'show', name]);
  assert.equal(gone.code, 2);
  assert.match(gone.stderr, /freehold entity list/);
});

test('a definition comes from a file too, a dry run creates nothing, and mistakes have their place', async () => {
  const name = `order_${random()}`;
  const cwd = folderWith({
    'order.yaml': 'UpdateParams:\n  - { name: title, validate: true, maxlength: 80 }\n',
    'wrong.json': '{"UpdateParams": [{"name": "title", "colType": "text"}]}',
    'other.yaml': 'entityName: other\nUpdateParams: []\n',
  });
  assert.equal((await run(['entity', 'create', name, '--file', 'order.yaml', '--dry-run'], cwd)).code, 0);
  assert.equal((await run(['entity', 'show', name], cwd)).code, 2);
  assert.equal((await run(['entity', 'create', name, '--file', 'order.yaml'], cwd)).code, 0);
  const wrong = await run(['entity', 'create', `${name}x`, '--file', 'wrong.json'], cwd);
  assert.match(wrong.stderr, /\/UpdateParams\/0\/colType/);
  for (const file of ['other.yaml', 'missing.yaml']) {
    const refused = await run(['entity', 'create', name, '--file', file, '--json'], cwd);
    assert.deepEqual([refused.code, codeOf(refused)], [2, 'wrong_usage']);
  }
});

test('records are listed with filter, order and members, as a table and as JSON', async () => {
  const name = await newEntity();
  const rows = [1, 2, 3, 4].map((n) => JSON.stringify({ title: `t${n}`, amount: n, status: n % 2 ? 'open' : 'paid' }));
  assert.equal((await run(['records', 'import', name, '--format', 'jsonl'], undefined, rows.join('\n'))).code, 0);
  const found = await run(['records', 'list', name, '--where', 'status=open', '--filter', 'amount > 1', '--json']);
  assert.deepEqual(
    (found.json.items as readonly { title: string }[]).map(({ title }) => title),
    ['t3'],
  );
  const sorted = await run([
    'records',
    'list',
    name,
    '--sort',
    '-created_at',
    '--fields',
    'title,amount',
    '--limit',
    '2',
  ]);
  assert.match(sorted.stdout, /^id +title +amount\n[0-9a-f-]{36} +t4 +4\n[0-9a-f-]{36} +t3 +3\n$/);
  const cursor = /--cursor (\S+)`/.exec(sorted.stderr)?.[1] ?? '';
  const rest = await run([
    'records',
    'list',
    name,
    '--sort',
    '-created_at',
    '--fields',
    'title,amount',
    '--cursor',
    cursor,
    '--json',
  ]);
  assert.deepEqual(
    (rest.json.items as readonly { title: string }[]).map(({ title }) => title),
    ['t2', 't1'],
  );
  for (const bad of [
    ['--where', 'status'],
    ['--limit', '0'],
    ['--sort', ','],
    ['--filter', 'amount >'],
  ])
    assert.equal((await run(['records', 'list', name, ...bad])).code, 2, bad.join(' '));
});

test('records are aggregated, as a table and as JSON', async () => {
  const name = await newEntity();
  const rows = [1, 2, 3, 4].map((n) => JSON.stringify({ title: `t${n}`, amount: n, status: n % 2 ? 'open' : 'paid' }));
  assert.equal((await run(['records', 'import', name, '--format', 'jsonl'], undefined, rows.join('\n'))).code, 0);
  const aggregate = ['records', 'aggregate', name, '--group', 'status', '--measure', 'count,sum:amount'];
  const table = await run([...aggregate, '--sort', '-sum_amount', '--having', 'count > 1']);
  assert.equal(table.stdout, 'status  count  sum_amount\npaid    2      6\nopen    2      4\n');
  const { json, stderr } = await run([...aggregate, '--where', 'status=open', '--json']);
  assert.deepEqual(
    [json, stderr],
    [{ items: [{ group: { status: 'open' }, values: { count: 2, sum_amount: 4 } }], nexttoken: null }, ''],
  );
  assert.match((await run([...aggregate, '--limit', '1'])).stderr, /--cursor \S+`/);
  assert.equal((await run([...aggregate, '--limit', '0'])).code, 2);
  assert.equal((await run(['records', 'aggregate', name, '--measure', 'sum:title'])).code, 2);
});

test('a sum beyond 2^53 keeps all its digits, as a table and as JSON', async () => {
  const name = await newEntity('cents:integer');
  const rows = [Number.MAX_SAFE_INTEGER, 7784].map((cents) => JSON.stringify({ title: 'x', cents }));
  assert.equal((await run(['records', 'import', name, '--format', 'jsonl'], undefined, rows.join('\n'))).code, 0);
  const aggregate = ['records', 'aggregate', name, '--measure', 'count,sum:cents'];
  assert.equal((await run(aggregate)).stdout, 'count  sum_cents\n2      9007199254748775\n');
  assert.match((await run([...aggregate, '--json'])).stdout, /"sum_cents": 9007199254748775$/m);
});

test('a member is acted for with what that member may do', async () => {
  const name = await newEntity();
  const member = await memberWith(founder, [allow([`list${name}`])]);
  assert.equal((await run(['records', 'list', name, '--as', member.email, '--json'])).code, 0);
  const refused = await run(
    ['records', 'import', name, '--as', member.email, '--format', 'csv', '--json'],
    undefined,
    'title\nx\n',
  );
  assert.deepEqual([refused.code, codeOf(refused)], [2, 'access_denied']);
  const unknown = await run(['records', 'list', name, '--as', 'unknown@example.com', '--json']);
  assert.deepEqual([unknown.code, codeOf(unknown)], [2, 'not_found']);
  const production = await run(['records', 'list', name, '--env', 'prod', '--json']);
  assert.equal(production.code, 2);
  assert.match(JSON.stringify(production.json), /--as EMAIL/);
});

test('a file is imported, a dry run writes nothing, and refused rows come back as a file to correct', async () => {
  const name = await newEntity();
  const cwd = folderWith({
    'orders.csv': 'number,title,amount\r\n1,"a, ""b""",1\r\n2,x,many\r\n3,,3\r\n4,"two\nlines",4\r\n',
  });
  const dry = await run(['records', 'import', name, 'orders.csv', '--dry-run', '--json'], cwd);
  assert.deepEqual([dry.code, dry.json.created, dry.json.failed], [1, 2, 2]);
  assert.equal((await list(founder, name)).items.length, 0);
  const done = await run(['records', 'import', name, 'orders.csv', '--failed', 'failed.csv'], cwd);
  assert.equal(done.code, 1);
  assert.equal(done.stdout, '4 rows: 2 created, 0 updated, 2 refused\n');
  assert.match(done.stderr, /^row 2: \/amount .*\nrow 3: \/title .*\n/m);
  assert.equal(readFileSync(join(cwd, 'failed.csv'), 'utf8'), 'number,title,amount\r\n2,x,many\r\n3,,3\r\n');
  const again = await run(['records', 'import', name, 'orders.csv', '--upsert', 'by_number', '--json'], cwd);
  assert.deepEqual([again.json.created, again.json.updated, again.json.failed], [0, 2, 2]);
});

test('files that cannot be imported are refused with the next step', async () => {
  const name = await newEntity();
  const cwd = folderWith({
    'orders.txt': 'title\nx\n',
    'unknown.csv': 'titel\nx\n',
    'open.csv': 'title\ngood\n"never closed\n',
    'huge.csv': `title\ngood\n${'x'.repeat(2_000_000)}\n`,
  });
  const codes = new Map<string, unknown>();
  for (const file of ['missing.csv', 'orders.txt', 'unknown.csv']) {
    const refused = await run(['records', 'import', name, file, '--json'], cwd);
    codes.set(file, [refused.code, codeOf(refused)]);
  }
  assert.deepEqual(Object.fromEntries(codes), {
    'missing.csv': [2, 'wrong_usage'],
    'orders.txt': [2, 'wrong_usage'],
    'unknown.csv': [2, 'unknown_field'],
  });
  for (const file of ['open.csv', 'huge.csv']) {
    const ended = await run(['records', 'import', name, file, '--json'], cwd);
    assert.deepEqual([ended.code, ended.json.created], [2, 1], ended.stdout);
    assert.ok(ended.json.error !== undefined);
  }
  const unknown = await run(['records', 'import', 'nothing_here', 'open.csv'], cwd);
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /freehold entity list/);
  const twice = await run(['records', 'import', name, '--format', 'csv', '--failed', 'x.csv'], cwd, 'title\nx\n');
  assert.equal(twice.code, 2);
});

test('an export is what an import takes; a file has its name only when it is complete', async () => {
  const name = await newEntity();
  const cwd = folderWith({ 'kept.csv': 'as it was' });
  await run(
    ['records', 'import', name, '--format', 'jsonl'],
    cwd,
    '{"title":"a","number":"1"}\n{"title":"b","number":"2"}\n',
  );
  const lines = await run(['records', 'export', name, '--where', 'title=a'], cwd);
  assert.deepEqual(
    lines.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).title),
    ['a'],
  );
  assert.equal((await run(['records', 'export', name, '--out', 'orders.csv'], cwd)).code, 0);
  const back = await run(['records', 'import', name, 'orders.csv', '--upsert', 'by_number', '--json'], cwd);
  assert.deepEqual([back.code, back.json.updated], [0, 2]);
  const refused = await run(['records', 'export', name, '--view', 'nowhere', '--out', 'kept.csv'], cwd);
  assert.equal(refused.code, 2);
  assert.equal(readFileSync(join(cwd, 'kept.csv'), 'utf8'), 'as it was');
  assert.deepEqual(
    readdirSync(cwd).filter((file) => file.endsWith('.part')),
    [],
  );
  assert.ok(existsSync(join(cwd, 'orders.csv')));
});

test('a service key acts for itself, in its own workspace', async () => {
  const name = await newEntity();
  const made = await fetch(`${org.management}/org/service-keys`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${org.builder.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ env: 'test', tenant_code: 'main', name: `key ${name}`, policies: ['vieweracl'] }),
  });
  const { key } = (await made.json()) as { key: string };
  const keyed = { ...env, FREEHOLD_TOKEN: key };
  const cwd = folderWith();
  assert.equal((await cli(['records', 'list', name, '--json'], { cwd, env: keyed })).code, 0);
  for (const more of [
    ['--as', founder.email],
    ['--workspace', 'main'],
    ['--env', 'prod'],
  ])
    assert.equal((await cli(['records', 'list', name, ...more], { cwd, env: keyed })).code, 2, more.join(' '));
  assert.equal((await act(founder, 'GET', `/list/${name}`)).status, 200);
});
