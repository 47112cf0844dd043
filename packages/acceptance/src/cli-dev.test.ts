/** `freehold dev`: a platform that follows the files of a project, and ends with its command. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cli, folderWith, startCli, until, writeFiles } from './cli-data.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';

const entity = (...fields: readonly object[]) =>
  JSON.stringify({
    definition: { entityName: 'order', UpdateParams: [{ name: 'number', colType: 'integer' }, ...fields] },
  });

const project = {
  'freehold.yaml': 'url: https://platform.example.com\norg: shop\n',
  'config/entity/order.json': entity(),
  'seeds/users.yaml': '- { email: ann@example.com, password: correct horse battery }\n',
  'seeds/keys.yaml': 'order: number\n',
  'seeds/order.jsonl': '{"number":1}\n',
};

const lineOf = (text: string, name: string) => new RegExp(`^${name} +(\\S+)`, 'm').exec(text)?.[1] ?? '';

async function reaches(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

test('dev starts a platform, pushes, seeds, writes types, follows changes, shows mistakes, and ends all by Ctrl-C', {
  timeout: 600_000,
}, async () => {
  const cwd = folderWith(project);
  const child = startCli(['dev', '--no-console'], { cwd });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += String(chunk);
  });
  const seeded = until(child.stderr, 'seeded: 1 records created');
  const output = await until(child.stdout, 'Ctrl-C ends the platform\n');
  await seeded;
  const management = lineOf(output, 'management');
  assert.match(output, /^app +http:\/\/\S+\/app\/shop {2}\(client_id test_/m);
  assert.ok(await reaches(management));
  assert.match(readFileSync(join(cwd, 'freehold.d.ts'), 'utf8'), /readonly order: \{/);

  const broken = until(child.stderr, 'seeds/order.jsonl:2: not JSON');
  writeFiles(cwd, { 'seeds/order.jsonl': '{"number":1}\n{"number"\n' });
  await broken;
  const refused = until(child.stderr, 'colType');
  writeFiles(cwd, { 'config/entity/order.json': entity({ name: 'title', colType: 'nothing' }) });
  await refused;
  assert.ok(await reaches(management), errors);

  const pushed = until(child.stderr, 'wrote freehold.d.ts');
  writeFiles(cwd, { 'config/entity/order.json': entity({ name: 'title' }) });
  await pushed;
  const changed = until(child.stderr, 'the seeds differ from the data (1 records to create, 1 to update)');
  writeFiles(cwd, { 'seeds/order.jsonl': '{"number":1,"title":"Lamp"}\n{"number":2}\n' });
  await changed;
  assert.match(readFileSync(join(cwd, 'freehold.d.ts'), 'utf8'), /title/);

  child.kill('SIGINT');
  assert.equal(await ended, 0, errors);
  assert.equal(await reaches(management), false);

  // What it keeps is this user's alone, and no commit takes it up.
  assert.equal(statSync(join(cwd, '.freehold')).mode & 0o077, 0);
  assert.equal(statSync(join(cwd, '.freehold', 'dev.json')).mode & 0o077, 0);
  assert.equal(readFileSync(join(cwd, '.freehold', '.gitignore'), 'utf8'), '*\n');
});

test('dev applies the seeds once, and leaves what the app has written to them until they are asked for', {
  timeout: 600_000,
}, async () => {
  const cwd = folderWith({
    ...project,
    'config/entity/order.json': entity({ name: 'count', colType: 'integer' }),
    'seeds/order.jsonl': '{"number":1,"count":0}\n',
  });
  const env = { XDG_CONFIG_HOME: folderWith() };
  const countOf = async () => {
    const { json } = await cli(['records', 'list', 'order', '--profile', 'dev', '--json'], { cwd: elsewhere, env });
    return (json.items as readonly { readonly count: number }[]).map(({ count }) => count);
  };
  const elsewhere = folderWith({
    'seeds/order.jsonl': '{"number":1,"count":21}\n',
    'seeds/keys.yaml': 'order: number\n',
  });
  for (const start of ['first', 'second']) {
    const child = startCli(['dev', '--no-console'], { cwd, env });
    const ended = new Promise((resolve) => child.once('close', resolve));
    const seeded = start === 'first' ? until(child.stderr, 'seeded: 1 records created') : undefined;
    await until(child.stdout, 'Ctrl-C ends the platform\n');
    await seeded;
    // The app counts on.
    assert.equal((await cli(['seed', '--profile', 'dev'], { cwd: elsewhere, env })).code, 0);
    const pushed = until(child.stderr, 'wrote freehold.d.ts');
    const fields = [{ name: 'count', colType: 'integer' }, { name: start }];
    writeFiles(cwd, { 'config/entity/order.json': entity(...fields) });
    await pushed;
    const noted = until(child.stderr, 'the seeds differ from the data (0 records to create, 1 to update)');
    writeFiles(cwd, { 'seeds/order.jsonl': `{"number":1,"count":0,"${start}":"x"}\n` });
    assert.match(await noted, /`freehold seed --profile dev` applies them/);
    assert.deepEqual(await countOf(), [21]);
    child.kill('SIGINT');
    assert.equal(await ended, 0);
  }
});

test('a second start goes on with the data of the first, at the same addresses, which other commands reach by a profile', {
  timeout: 600_000,
}, async () => {
  const cwd = folderWith(project);
  const addresses: string[] = [];
  const elsewhere = folderWith();
  const env = { XDG_CONFIG_HOME: elsewhere };
  const ports = ['--port', String(await freePort()), '--management-port', String(await freePort())];
  for (const [expected, words] of [
    ['seeded: 1 records created', ports],
    [undefined, []],
  ] as const) {
    const child = startCli(['dev', '--no-console', '--no-types', ...words], { cwd, env });
    const ended = new Promise((resolve) => child.once('close', resolve));
    const seeded = expected === undefined ? undefined : until(child.stderr, expected);
    addresses.push(lineOf(await until(child.stdout, 'Ctrl-C ends the platform\n'), 'management'));
    await seeded;
    const listed = await cli(['records', 'list', 'order', '--profile', 'dev', '--json'], { cwd: elsewhere, env });
    assert.equal((listed.json.items as readonly unknown[]).length, 1, listed.stdout);
    child.kill('SIGTERM');
    assert.equal(await ended, 0);
  }
  assert.equal(addresses[0], addresses[1]);
  assert.ok(!existsSync(join(cwd, 'freehold.d.ts')));
});

test('the platform ends when its command is killed', { timeout: 600_000 }, async () => {
  const cwd = folderWith();
  const child = startCli(['dev', '--no-console'], { cwd });
  const management = lineOf(await until(child.stdout, 'Ctrl-C ends the platform\n'), 'management');
  assert.ok(await reaches(management));
  child.kill('SIGKILL');
  await eventually('the end of the platform', async () => !(await reaches(management)));
});

test('dev is refused in production, with a damaged state, and with a port that is none', async () => {
  const cwd = folderWith();
  for (const [words, env, expected] of [
    [['dev'], { FREEHOLD_MODE: 'production' }, /is for development/],
    [['dev'], { NODE_ENV: 'production' }, /is for development/],
    [['dev', '--port', '99999'], {}, /`99999` is no port/],
  ] as const) {
    const run = await cli(words, { cwd, env });
    assert.equal(run.code, 2);
    assert.match(run.stderr, expected);
  }
  writeFiles(cwd, { '.freehold/dev.json': '{' });
  const damaged = await cli(['dev'], { cwd });
  assert.match(damaged.stderr, /dev.json is damaged/);
  rmSync(join(cwd, '.freehold'), { recursive: true });
});
