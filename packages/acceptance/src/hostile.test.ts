/** What clients try who mean harm: each of these was once tried by hand, and most of them once worked. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { connect } from 'node:net';
import { test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import { call } from './call.ts';
import { eventually } from './eventually.ts';
import {
  act,
  allow,
  appUrl,
  count,
  create,
  defineEntity,
  definition,
  exchangeToken,
  foundedOrg,
  list,
  logIn,
  manage,
  memberWith,
  newEmail,
  signIn,
  signUp,
} from './org.ts';
import { platformOfFile } from './platform-for-tests.ts';
import { rawCall } from './raw-call.ts';

const gateways = await platformOfFile();
const { org, founder } = await foundedOrg(gateways);
await defineEntity(org, definition('doc', [{ name: 'title' }]));

/** Bringing this to NFC takes time that grows with the square of its length: minutes for what fits into a body. */
const costlyText = `a${'\u0301\u0316'.repeat(3000)}`;

for (const [member, body] of [
  ['email', { email: costlyText, password: 'correct horse battery' }],
  ['password', { email: newEmail('absent'), password: costlyText }],
] as const)
  test(`a ${member} that no account can have is refused by the management login before it is normalised`, async () => {
    const reply = await call('POST', `${gateways.management}/auth/login`, { body });
    assert.deepEqual(pointers(assertProblem(reply, 'validation_failed')), [`/${member}`]);
  });

test('H04: a sign-in of the same address at another app buys no more guesses', async () => {
  const victim = await signIn(org);
  const other = await signUp(gateways);
  const answers: number[] = [];
  for (let guess = 0; guess < 18; guess++) {
    answers.push((await logIn(org, victim.email, `wrong password ${guess}`)).status);
    if (guess % 5 === 4) await logIn(other, victim.email, 'the attacker’s own password');
  }
  assert.equal(answers.filter((status) => status === 401).length, 10);
  assert.equal(answers.at(-1), 429);
});

test('H04: no spelling of a log-in, and nothing else that is sent with it, buys more guesses', async () => {
  const email = newEmail('victim');
  const victim = await signIn(org, email);
  const [local = '', domain = ''] = email.split('@');
  const spellings = [
    email,
    email.toUpperCase(),
    `${local}@${domain.toUpperCase()}`,
    `${local.toUpperCase()}@${domain}`,
  ];
  const users: number[] = [];
  const builders: number[] = [];
  for (let guess = 0; guess < 14; guess++) {
    const headers = {
      client_id: org.clientId,
      'user-agent': `agent ${guess}`,
      'x-forwarded-for': `192.0.2.${guess}`,
      'x-real-ip': `192.0.2.${guess}`,
      forwarded: `for=192.0.2.${guess}`,
      cookie: `session=${guess}`,
      origin: `https://${guess}.example`,
    };
    const spelled = spellings[guess % spellings.length] ?? email;
    const body = { email: spelled, password: `wrong password ${guess}` };
    users.push((await call('POST', appUrl(org, '/login'), { headers, body })).status);
    const ofBuilder = { ...body, email: org.builder.email, org: `org${guess}` };
    builders.push((await call('POST', `${org.management}/auth/login`, { headers, body: ofBuilder })).status);
  }
  const expected = [...Array.from({ length: 10 }, () => 401), 429, 429, 429, 429];
  assert.deepEqual([users, builders], [expected, expected]);
  for (const path of ['/login/', '//login', '/login?a=1', '/Login', '/%6cogin'])
    assert.ok((await call('POST', appUrl(org, path), { headers: { client_id: org.clientId }, body: {} })).status < 429);
  assertProblem(await logIn(org, victim.email), 'rate_limited');
});

test('H07: a batch carries records alone, so no guess of a password travels in one', async () => {
  const victim = await signIn(org);
  const body = { email: victim.email, password: 'wrong password' };
  const guesses: readonly object[] = [
    { action: 'login', entity: 'user', data: body },
    { action: 'create', entity: 'login', data: body },
    { action: 'post', entity: '/login', data: body },
    { method: 'POST', path: '/login', body },
    { action: 'create', entity: 'doc', data: {}, method: 'POST', path: `/app/${org.code}/login`, body },
  ];
  for (const guess of guesses)
    for (const mode of ['atomic', 'independent']) {
      const operations = Array.from({ length: 20 }, () => guess);
      const reply = await act<{ readonly results?: readonly { readonly status: number }[] }>(
        founder,
        'POST',
        '/batch',
        {
          body: { mode, operations },
        },
      );
      const statuses = reply.body.results?.map(({ status }) => status) ?? [reply.status];
      assert.ok(
        statuses.every((status) => status >= 400 && status < 500),
        reply.text,
      );
    }
  assert.equal((await logIn(org, victim.email)).status, 200);
});

test('an app JWT has one spelling: unused bits at the end of its signature count', async () => {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = digits.indexOf(founder.token.slice(-1));
  const twin = founder.token.slice(0, -1) + digits.charAt(last ^ 1);
  assertProblem(await call('GET', appUrl(org, '/user/me'), { token: twin }), 'token_invalid');
});

test('a member whose profile is as long as its fields allow can still sign in', async () => {
  const member = await signIn(org);
  const wide = '\u{1F600}';
  const profile = { fn: wide.repeat(128), ln: wide.repeat(128), role: wide.repeat(64), picture: wide.repeat(2048) };
  const update = await act(founder, 'PUT', `/update/user/${member.id}`, { body: profile });
  assert.ok([200, 400].includes(update.status), update.text);
  const login = await logIn(org, member.email);
  assert.equal((await exchangeToken(org, login.body.token)).status, 200);
});

test('a `colType` that is no string is refused', async () => {
  const body = definition('odd', [{ name: 'title', colType: ['string'] }]);
  const reply = await manage(org, 'POST', '/api/create-odd', { body });
  assert.deepEqual(pointers(assertProblem(reply, 'validation_failed')), ['/UpdateParams/0/colType']);
});

test('a long `minlength` makes no long example', async () => {
  await defineEntity(org, definition('lengthy', [{ name: 'title', minlength: Number.MAX_SAFE_INTEGER }]));
  const reply = await manage(org, 'GET', '/api/entity/endpoints?entity=lengthy');
  assert.equal(reply.status, 200, reply.text);
  assert.ok(reply.text.length < 64 * 1024);
});

test('an example can be pasted into a shell, whatever the values of an enum are', async () => {
  const value = `it's "so"; exit 3 #`;
  await defineEntity(org, definition('quoted', [{ name: 'mood', colType: 'enum', enumValues: [value] }]));
  const reply = await manage<{ endpoints: readonly { readonly action: string; readonly example: string }[] }>(
    org,
    'GET',
    '/api/entity/endpoints?entity=quoted',
  );
  const example = reply.body.endpoints.find(({ action }) => action === 'create')?.example ?? '';
  const lastWord = execFileSync('bash', ['-c', `curl() { printf '%s' "\${@: -1}"; }\n${example}`], {
    encoding: 'utf8',
  });
  assert.deepEqual(JSON.parse(lastWord), { mood: value });
});

test('a refusal is not longer than the body that it refuses', async () => {
  const body = JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`unknown${index}`, 1])));
  const sent = [
    call('POST', `${gateways.management}/auth/login`, { body }),
    call('POST', appUrl(org, '/login'), { body, headers: { client_id: org.clientId } }),
    manage(org, 'POST', '/api/create-many', { body }),
    act(founder, 'POST', '/create/doc', { body }),
  ];
  for (const reply of await Promise.all(sent)) {
    assert.equal(reply.status, 400);
    assert.ok(reply.text.length <= body.length, `${body.length} bytes were answered with ${reply.text.length}`);
  }
});

test('an entity whose keys would lie among those of another entity is refused', async () => {
  const title = [{ name: 'title' }];
  const withKeys = (entityName: string, pkTemplate: string, skTemplate: string) =>
    manage(org, 'POST', `/api/create-${entityName}`, {
      body: { entityName, baseKeys: { pkTemplate, skTemplate }, UpdateParams: title },
    });
  for (const skTemplate of ['doc#{id};{user_id}', 'doc#{id}#x', 'doc#x#{id}', '{title}#{id}', '{title}#{id};{email}'])
    assertProblem(await withKeys('lodger', 'org#{org};data#doc', skTemplate), 'conflict');
  assertProblem(await withKeys('lodger', 'org#{org};data#user', 'user#{id}#x'), 'conflict');
  assertProblem(await withKeys('lodger', 'org#{org};{title}#doc', 'doc#{id}#x'), 'conflict');
});

test('the removal of an entity takes no record of one that comes after it', async () => {
  const keys = { pkTemplate: 'org#{org};data#shared', skTemplate: 'x#{id}' };
  const define = (entityName: string, baseKeys: object) =>
    manage(org, 'POST', `/api/create-${entityName}`, { body: { entityName, baseKeys, UpdateParams: [] } });
  assert.equal((await define('former', keys)).status, 201);
  await Promise.all(Array.from({ length: 300 }, () => create(founder, 'former', {})));
  assert.equal((await manage(org, 'DELETE', '/api/entity?entityname=former')).status, 204);
  await until201(() => define('latter', keys));
  const made = await Promise.all(Array.from({ length: 20 }, () => create(founder, 'latter', {})));
  // The name is free once the removal has ended.
  await until201(() => define('former', { pkTemplate: 'org#{org};data#former', skTemplate: 'former#{id}' }));
  const page = await list(founder, 'latter', '?pagesize=200&sortdir=asc');
  assert.deepEqual(page.items.map(({ id }) => id).sort(), made.map(({ id }) => id).sort());
  assert.equal(await count(founder, 'latter'), made.length);
});

test('parallel updates of one record all succeed, and so do parallel writes of access control', async () => {
  const record = await create(founder, 'doc', { title: 'first' });
  const updates = Array.from({ length: 48 }, (_, index) =>
    act(founder, 'PUT', `/update/doc/${record.id}`, { body: { title: `title ${index}` } }),
  );
  const policies = Array.from({ length: 48 }, (_, index) =>
    act(founder, 'POST', '/create/aclpolicy', { body: { name: `side by side ${index}`, statements: [allow('get*')] } }),
  );
  assert.deepEqual([...new Set((await Promise.all(updates)).map(({ status }) => status))], [200]);
  assert.deepEqual([...new Set((await Promise.all(policies)).map(({ status }) => status))], [201]);
});

test('a member who holds nothing learns nothing of what an entity is called', async () => {
  const unprivileged = await memberWith(founder, []);
  const [there, missing] = await Promise.all([
    act(unprivileged, 'GET', '/list/doc'),
    act(unprivileged, 'GET', '/list/nosuchentity'),
  ]);
  assert.equal(assertProblem(there, 'access_denied').reason, assertProblem(missing, 'access_denied').reason);
});

test('a request whose answer says that it failed has written nothing, also with garbage behind it', async () => {
  const before = await count(founder, 'doc');
  const body = '{"title":"piped"}';
  const [first = ''] = await converse([
    `POST /app/${org.code}/create/doc HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${founder.token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '',
    `${body}NO HTTP AT ALL`,
    '',
    '',
  ]);
  assert.equal((await count(founder, 'doc')) - before, first.startsWith('HTTP/1.1 201') ? 1 : 0, first);
});

for (const [what, lines] of [
  ['without a Host', ['GET /healthz HTTP/1.1', 'Connection: close', '', '']],
  [
    'that expects what no server does',
    ['GET /healthz HTTP/1.1', 'Host: x', 'Expect: cake', 'Connection: close', '', ''],
  ],
] as const)
  test(`a request ${what} is answered like any other refusal`, async () => {
    const [reply = ''] = await converse(lines);
    assert.match(reply, /^HTTP\/1\.1 4\d\d /);
    assert.match(reply, /^x-request-id: \S+/im);
  });

const smuggled = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
for (const header of [
  `Content-Length: ${smuggled.length}\r\nTransfer-Encoding: chunked`,
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding : chunked',
  'Content-Length: +3',
  'Content-Length: 3\r\nContent-Length: 3',
])
  test(`the framing ${JSON.stringify(header)} is refused, and what follows is no second request`, async () => {
    const target = `/app/${org.code}/create/doc`;
    const head = `POST ${target} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${header}\r\n\r\n`;
    const replies = await converse([`${head}0\r\n\r\n${smuggled}`]);
    assert.equal(replies.length, 1);
    assert.match(replies[0] ?? '', /^HTTP\/1\.1 400 /);
  });

test('a path as absolute as a proxy’s, with another host, reaches no route', async () => {
  const headers = [`Authorization: Bearer ${founder.token}`];
  const target = `http://elsewhere.example/app/${org.code}/list/doc`;
  assertProblem(await rawCall(gateways.app, { method: 'GET', target, headers }), 'invalid_request');
});

async function until201(ask: () => Promise<{ readonly status: number; readonly text: string }>): Promise<void> {
  await eventually('the end of the removal', async () => {
    const { status, text } = await ask();
    if (status !== 201) assert.equal(status, 409, text);
    return status === 201;
  });
}

/** Sends lines as they stand, and takes apart what comes back until the server ends the connection. */
function converse(lines: readonly string[]): Promise<readonly string[]> {
  const { hostname, port } = new URL(gateways.app);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(lines.join('\r\n')));
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text.split(/(?=HTTP\/1\.1 \d{3} )/).filter((part) => part !== '')));
  });
}
