import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefusal } from './assert-problem.ts';
import { act, allow, create, defineEntity, definition, deny, foundedOrg, memberWith } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { rawCall } from './raw-call.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const canary = 'canary-in-a-coal-mine';
await defineEntity(org, definition('secret', [{ name: 'title', colType: 'string' }]));
await defineEntity(org, definition('order', [{ name: 'title', colType: 'string' }]));
const { id } = await create(founder, 'secret', { title: canary });
const walledOff = await memberWith(founder, [
  allow('*'),
  deny('*', ['/list/secret', '/count/secret', '/item/secret*', '/update/secret*', '/delete/secret*']),
]);

const base = `/app/${org.code}`;
const host = new URL(gateways.app).host;

/** Ways to write a path that is not the one canonical way. */
const twisted: readonly string[] = [
  `/${base}/list/secret`,
  `//${org.code}/list/secret`,
  `${base}//list/secret`,
  `${base}/list//secret`,
  `${base}/list/secret/`,
  `${base}/list/secret//`,
  `${base}/list/secret;a`,
  `${base}/list;a/secret`,
  `${base}/list/secret%20`,
  `${base}/list/secret%00`,
  `${base}/list/secret%0a`,
  `${base}/list/secret.`,
  `${base}/list/%73ecret`,
  `${base}/list/s%65cret`,
  `${base}/%6cist/secret`,
  `/%61pp/${org.code}/list/secret`,
  `${base}/list%2Fsecret`,
  `${base}/list%2fsecret`,
  `${base}/list%5Csecret`,
  `${base}\\list\\secret`,
  `${base}/list\\secret`,
  `${base}/./list/secret`,
  `${base}/list/./secret`,
  `${base}/x/../list/secret`,
  `${base}/list/x/../secret`,
  `${base}/list/%2e/secret`,
  `${base}/x/%2e%2e/list/secret`,
  `${base}/list/secret%3Fx`,
  `${base}/list/secret#x`,
  `${base}/LIST/secret`,
  `${base}/List/secret`,
  `${base}/list/SECRET`,
  `${base}/list/Secret`,
  `/APP/${org.code}/list/secret`,
  `/app/${org.code.toUpperCase()}/list/secret`,
  `${base}/list/ſecret`,
  `${base}/list/%C5%BFecret`,
  `${base}/list/%EF%BD%93ecret`,
  `${base}/list/secret%`,
  `${base}/list/secret%zz`,
  `${base}/list/secret%ff`,
  `${base}/list/secret%E2%80%A8`,
  `${base}/item/secret/${id}/`,
  `${base}/item/secret//${id}`,
  `${base}/item/secret%2F${id}`,
  `${base}/item//secret/${id}`,
  `${base}/item/SECRET/${id}`,
  `${base}/item/secret/${id.toUpperCase()}`,
  `${base}/item/secret/%${id.charCodeAt(0).toString(16)}${id.slice(1)}`,
  `${base}/item/secret/${id}%0a`,
  `${base}/item/secret/${id}%0d`,
  `${base}/item/secret/${id}%00`,
  `${base}/item/secret/${id}%E2%80%A8`,
  `${base}/item/secret%0a/${id}`,
  `${base}/item/order/../secret/${id}`,
  `${base}/count/secret/`,
  `${base}/COUNT/secret`,
];

for (const target of twisted) {
  test(`B02, B05, B06: ${JSON.stringify(target.replaceAll(org.code, '{org}').replaceAll(id, '{id}'))} is no way around a Deny, and no other spelling of a route`, async () => {
    for (const { token } of [walledOff, founder]) {
      const reply = await rawCall(gateways.app, { method: 'GET', target, headers: [`Authorization: Bearer ${token}`] });
      assert.doesNotMatch(reply.text, new RegExp(canary));
      assert.ok([400, 401, 403, 404].includes(reply.status), `${reply.status} ${reply.text}`);
      if (token === founder.token) assert.notEqual(reply.status, 403);
    }
  });
}

test('the canonical spellings are served to one who may, and denied to one who may not', async () => {
  for (const target of [`${base}/list/secret`, `${base}/count/secret`, `${base}/item/secret/${id}`]) {
    const headers = (token: string) => [`Authorization: Bearer ${token}`];
    assert.equal((await rawCall(gateways.app, { method: 'GET', target, headers: headers(founder.token) })).status, 200);
    assertRefusal(await rawCall(gateways.app, { method: 'GET', target, headers: headers(walledOff.token) }), [403]);
  }
});

/** The one record that a policy denies, as a caller might write its id and the way to it. */
function spellingsOf(known: string): readonly string[] {
  const mixed = Array.from(known, (character, index) => (index % 2 === 0 ? character.toUpperCase() : character)).join(
    '',
  );
  const hex = known.charCodeAt(0).toString(16);
  return [
    ...[known.toUpperCase(), mixed, `%${hex}${known.slice(1)}`, `${known.slice(0, -1)}%${known.slice(-1)}`],
    ...[`./${known}`, `%2e/${known}`, `../secret/${known}`, `/${known}`, `${known}/`, `${known}/.`, `${known}/..`],
    ...[
      `${known};a=b`,
      `${known}%20`,
      `${known}+`,
      `${known}%00`,
      `${known}%2f`,
      `\\${known}`,
      `${known}#`,
      `${known}.`,
    ],
    ...[`{${known}}`, `urn:uuid:${known}`, known.replaceAll('-', ''), known.replaceAll('-', '%2d'), `${known},`],
    ...[known.replaceAll('-', '\u2010'), `${known}%E2%80%8B`, `%EF%BB%BF${known}`],
  ];
}

test('a Deny on the path of one record holds for every spelling of its id, on every way to it', async () => {
  const record = await create(founder, 'secret', { title: canary });
  const verbs = { item: 'GET', update: 'PUT', delete: 'DELETE' } as const;
  const denied = Object.keys(verbs).map((verb) => `/${verb}/secret/${record.id}`);
  const held = await memberWith(founder, [allow('*'), deny('*', denied)]);
  const headers = [`Authorization: Bearer ${held.token}`, 'Content-Type: application/json'];
  const send = (verb: keyof typeof verbs, spelling: string) => {
    const body = verb === 'update' ? { body: '{"title":"taken"}' } : {};
    const target = `${base}/${verb}/secret/${spelling}`;
    return rawCall(gateways.app, { method: verbs[verb], target, headers, ...body });
  };
  for (const verb of ['item', 'update', 'delete'] as const) {
    for (const spelling of [record.id, `${record.id}?id=${id}`])
      assertRefusal(await send(verb, spelling), spelling === record.id ? [403] : [400, 403]);
    for (const spelling of spellingsOf(record.id)) {
      const reply = await send(verb, spelling);
      assert.doesNotMatch(reply.text, new RegExp(canary));
      assertRefusal(reply, [400, 404]);
    }
  }
  for (const spelling of [record.id, record.id.toUpperCase(), ...spellingsOf(record.id)])
    for (const operation of [
      { action: 'update', entity: 'secret', id: spelling, data: { title: 'taken' } },
      { action: 'delete', entity: 'secret', id: spelling },
    ]) {
      const reply = await act(held, 'POST', '/batch', { body: { mode: 'atomic', operations: [operation] } });
      assertRefusal(reply, [400, 403, 404]);
    }
  assert.equal((await act(founder, 'GET', `/item/secret/${record.id}`)).body.title, canary);
  assert.equal((await act(held, 'GET', `/item/secret/${id}`)).status, 200);
});

for (const target of [
  `http://${host}${base}/list/secret`,
  `http://elsewhere.example${base}/list/secret`,
  `HTTP://${host}//x/..${base}/list/secret`,
]) {
  test(`B02: the absolute target ${target.replace(host, 'host').replace(org.code, '{org}')} is no way around a Deny`, async () => {
    const headers = [`Authorization: Bearer ${walledOff.token}`];
    const reply = await rawCall(gateways.app, { method: 'GET', target, headers });
    assert.ok([400, 403, 404].includes(reply.status), reply.text);
  });
}

for (const header of [
  'X-HTTP-Method-Override: GET',
  'X-Original-URL: /list/order',
  'X-Rewrite-URL: /list/order',
  'X-Forwarded-Prefix: /x',
]) {
  test(`the header ${header} changes nothing about what is decided`, async () => {
    const headers = [`Authorization: Bearer ${walledOff.token}`, header];
    assertRefusal(await rawCall(gateways.app, { method: 'GET', target: `${base}/list/secret`, headers }), [403]);
  });
}

for (const [method, target] of [
  ['HEAD', `${base}/list/secret`],
  ['OPTIONS', `${base}/list/secret`],
  ['POST', `${base}/list/secret`],
  ['get', `${base}/list/secret`],
  ['GET', `${base}/update/secret/${id}`],
  ['POST', `${base}/item/secret/${id}`],
  ['TRACE', `${base}/list/secret`],
] as const) {
  test(`the method ${method} on ${target.replaceAll(org.code, '{org}').replaceAll(id, '{id}')} gives nothing away`, async () => {
    const reply = await rawCall(gateways.app, {
      method,
      target,
      headers: [`Authorization: Bearer ${walledOff.token}`],
    });
    assert.doesNotMatch(reply.text, new RegExp(canary));
    assert.ok(reply.status >= 400 || reply.status === 204, String(reply.status));
  });
}

test('a request that is no HTTP is answered and harms nothing', async () => {
  for (const target of ['', ' ', '*', 'list', '/a b', `${base}/list/secret HTTP/1.1\r\nX: y`]) {
    const reply = await rawCall(gateways.app, { method: 'GET', target, headers: [] });
    assert.ok(reply.status >= 400 && reply.status < 500, `${JSON.stringify(target)}: ${reply.status}`);
  }
  assert.equal((await rawCall(gateways.app, { method: 'GET', target: '/healthz' })).status, 200);
});

test('two lengths, or a length and chunks, are refused', async () => {
  const headers = [`Authorization: Bearer ${founder.token}`, 'Content-Type: application/json'];
  for (const smuggled of [
    ['Content-Length: 2', 'Content-Length: 20'],
    ['Content-Length: 2', 'Transfer-Encoding: chunked'],
  ]) {
    const request = { method: 'POST', target: `${base}/create/order`, headers: [...headers, ...smuggled], body: '{}' };
    assert.equal((await rawCall(gateways.app, request)).status, 400);
  }
});
