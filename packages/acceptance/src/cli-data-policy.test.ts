/** `freehold policy test`, `denials`, `logs` and `open`, as a script runs them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cli, folderWith, signedIn, startCli } from './cli-data.ts';
import { act, allow, defineEntity, definition, deny, foundedOrg, joinOrg, memberWith } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const { org, founder } = await foundedOrg(await platformForTests());
const env = signedIn(org);
await defineEntity(org, definition('order', [{ name: 'title' }, { name: 'status' }]));
const clerk = await memberWith(founder, [
  { ...allow(['*order']), Sid: 'Orders' },
  { ...deny(['deleteorder']), Sid: 'KeepPaid', Condition: { StringEquals: { 'record.status': 'paid' } } },
]);

const good = `
defaults:
  user: ${clerk.email}
cases:
  - name: clerks read orders
    method: GET
    path: /list/order
    expect: allow
    sid: Orders
  - name: clerks keep paid orders
    action: deleteorder
    resource: /delete/order/1
    record: { status: paid }
    expect: deny
    reason: explicit_deny
    sid: KeepPaid
  - name: viewers delete nothing
    policies: [vieweracl]
    action: deleteorder
    resource: /delete/order/1
    expect: deny
    reason: implicit_deny
  - name: a draft is tested before it is written
    statements: drafts/draft.yaml
    method: POST
    path: /create/order
    context: { request: { body: { title: x } } }
    expect: allow
`;
const draft = '- { Effect: Allow, Action: [createorder], Resource: ["*"] }\n';

interface Case {
  readonly name: string;
  readonly passed: boolean;
  readonly expected: string;
  readonly got: string;
  readonly why: string;
  readonly statement?: { readonly Sid?: string };
}

test('cases that hold end with 0, and name no more than they must', async () => {
  const cwd = folderWith({ 'policies/order.cases.yaml': good, 'policies/drafts/draft.yaml': draft });
  const done = await cli(['policy', 'test'], { cwd, env });
  assert.equal(done.stdout.split('\n').at(-2), '4 passed, 0 failed', done.stdout + done.stderr);
  assert.equal(done.code, 0);
});

test('a case that fails names what was expected, what came, and the statement that decided', async () => {
  const wrong = `
cases:
  - { name: paid orders go, user: ${clerk.email}, action: deleteorder, resource: /delete/order/1, record: { status: paid }, expect: allow }
  - { name: no record, user: ${clerk.email}, action: deleteorder, resource: /delete/order/1, expect: allow }
  - { name: no member, user: unknown@example.com, method: GET, path: /list/order, expect: deny }
  - { name: nothing, policies: [nothing], method: GET, path: /list/order, expect: deny }
  - { name: no route, user: ${clerk.email}, method: GET, path: /nowhere, expect: deny }
`;
  const cwd = folderWith({ 'wrong.cases.yaml': wrong });
  const run = await cli(['policy', 'test', 'wrong.cases.yaml', '--json'], { cwd, env });
  assert.equal(run.code, 1, run.stdout);
  const cases = run.json.cases as readonly Case[];
  assert.deepEqual([run.json.passed, run.json.failed], [0, 5]);
  assert.deepEqual([cases[0]?.expected, cases[0]?.got, cases[0]?.statement?.Sid], ['allow', 'deny', 'KeepPaid']);
  assert.deepEqual([cases[1]?.got, cases[1]?.why], ['undecided', 'the case must also give: `record`']);
  assert.match(cases[2]?.why ?? '', /no member `unknown@example.com`/);
  assert.match(cases[3]?.why ?? '', /no policy `nothing`/);
  const text = await cli(['policy', 'test', 'wrong.cases.yaml'], { cwd, env });
  assert.match(
    text.stdout,
    /^FAILED {2}paid orders go \(wrong.cases.yaml:3\)\n {8}expected allow, got deny: .*\n {8}decided by `KeepPaid` of policy/m,
  );
});

test('malformed cases are named with their places, and none is run', async () => {
  const cwd = folderWith({
    'policies/a.cases.yaml': 'cases:\n  - { name: x, expect: maybe }\n',
    'policies/b.cases.yaml': 'cases: [',
  });
  const run = await cli(['policy', 'test'], { cwd, env });
  assert.equal(run.code, 2);
  assert.match(run.stderr, /policies\/a.cases.yaml:2: `expect` must be/);
  assert.match(run.stderr, /policies\/b.cases.yaml:1: not YAML/);
  const none = await cli(['policy', 'test'], { cwd: folderWith(), env });
  assert.deepEqual([none.code, /docs\/command-line.md/.test(none.stderr)], [2, true]);
  const missing = await cli(['policy', 'test', 'gone.yaml'], { cwd, env });
  assert.equal(missing.code, 2);
});

test('denials are listed with their reasons, and followed line by line until the command is ended', {
  timeout: 240_000,
}, async () => {
  const viewer = await memberWith(founder, [allow(['listorder'])]);
  assert.equal((await act(viewer, 'POST', '/create/order', { body: { title: 'first' } })).status, 403);
  const listed = await cli(['denials', '--json'], { cwd: folderWith(), env });
  const items = listed.json.items as readonly { readonly email: string; readonly action: string }[];
  assert.ok(items.some(({ email, action }) => email === viewer.email && action === 'createorder'));
  const child = startCli(['denials', '-f', '--json', '--lines', '0'], { cwd: folderWith(), env });
  const lines: string[] = [];
  let rest = '';
  const arrived = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      rest += text;
      lines.push(...rest.split('\n').slice(0, -1));
      rest = rest.split('\n').at(-1) ?? '';
      if (lines.length > 0) resolve();
    });
  });
  // The command says nothing before the first denial after its first look, so there is one again and again until it has.
  const timer = setInterval(() => void act(viewer, 'POST', '/create/order', { body: { title: 'next' } }), 500);
  await arrived;
  clearInterval(timer);
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGINT');
  assert.equal(await ended, 0);
  const [first] = lines.map((line) => JSON.parse(line));
  assert.deepEqual([first.kind, first.email, first.action], ['denial', viewer.email, 'createorder']);
  assert.ok(!JSON.stringify(lines).includes('next'));
});

test('logs put denials and audit entries in one list, and a developer gets all but the audit log', async () => {
  const all = await cli(['logs', '-n', '200', '--json'], { cwd: folderWith(), env });
  const kinds = new Set((all.json.items as readonly { readonly kind: string }[]).map(({ kind }) => kind));
  assert.ok(kinds.has('audit') && kinds.has('denial'), [...kinds].join());
  const developer = await joinOrg(org, 'developer');
  const part = await cli(['logs', '-n', '200'], {
    cwd: folderWith(),
    env: { ...env, FREEHOLD_TOKEN: developer.token },
  });
  assert.equal(part.code, 0, part.stderr);
  assert.match(part.stderr, /without the audit log/);
  assert.equal((await cli(['logs', '-n', 'many'], { cwd: folderWith(), env })).code, 2);
});

test('open prints the address of a page, and refuses one that is not there', async () => {
  const run = await cli(['open', 'records/order', '--print'], { cwd: folderWith(), env });
  assert.equal(run.stdout, `${org.management}/o/${org.code}/test/records/order\n`);
  assert.equal((await cli(['open', 'nowhere', '--print'], { cwd: folderWith(), env })).code, 2);
});
