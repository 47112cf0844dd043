/** A value of an encrypted field is taken and never seen again: in no reply, no log, and no file of the platform. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { assertProblem, pointers } from './assert-problem.ts';
import type { CallOptions, Reply } from './call.ts';
import { act, create, defineEntity, definition, foundedOrg, list, manage, signUp } from './org.ts';
import { startPlatform, whyNoDataDir } from './platform.ts';

const platform = await startPlatform({ env: { FREEHOLD_LOG_LEVEL: 'trace' } });
after(() => platform.kill());
const { org, founder } = await foundedOrg(platform);
const fields = [
  { name: 'holder', index: true, search: true },
  { name: 'iban', colType: 'encrypted', validate: true, minlength: 4, maxlength: 100 },
  { name: 'note', colType: 'encrypted' },
];
await defineEntity(org, definition('account', fields));

/** Random-looking and found nowhere else; the rest of each value says where it was sent. */
const canary = 'Zq7canaryXv93';
const sent = (where: string): string => `${canary} ${where}`;
const replies: string[] = [];

/** A call whose answer is kept, to be looked through at the end. */
async function ask(method: string, path: string, options: CallOptions = {}): Promise<Reply> {
  const reply = await act<Readonly<Record<string, unknown>>>(founder, method, path, options);
  replies.push(`${method} ${path} ${JSON.stringify([...reply.headers])} ${reply.text}`);
  return reply;
}

/** The way a text may look in what is written or sent, whole or in part. */
function disguises(text: string): readonly Buffer[] {
  const shifted = [0, 1, 2].flatMap((shift) => {
    const bytes = Buffer.from(' '.repeat(shift) + text);
    return [bytes.toString('base64').slice(shift === 0 ? 0 : 4, -4), bytes.toString('base64url').slice(4, -4)];
  });
  const hex = Buffer.from(text).toString('hex');
  const spelled = [text, text.toUpperCase(), text.toLowerCase(), [...text].reverse().join(''), hex, ...shifted];
  return [...spelled.map((one) => Buffer.from(one)), Buffer.from(text, 'utf16le'), Buffer.from(text).swap16()];
}

function assertWithout(bytes: Buffer, where: string): void {
  for (const disguise of disguises(canary.slice(0, 12)))
    assert.equal(bytes.indexOf(disguise), -1, `${where}: ${disguise}`);
}

test('the search for a value finds it in every disguise', () => {
  const found = [sent('x'), Buffer.from(`..${sent('x')}`).toString('base64'), Buffer.from(sent('x')).toString('hex')];
  for (const text of found) assert.throws(() => assertWithout(Buffer.from(text), 'here'), text);
});

test('a value that is sent is taken, and the record is shown without it', async () => {
  const made = await ask('POST', '/create/account', {
    body: { holder: 'Ada', iban: sent('created'), note: sent('noted') },
  });
  assert.equal(made.status, 201, made.text);
  const { id } = made.body;
  assert.deepEqual(
    Object.keys(made.body).filter((name) => ['holder', 'iban', 'note'].includes(name)),
    ['holder'],
  );
  const updated = await ask('PUT', `/update/account/${id}`, { body: { iban: sent('updated'), note: null } });
  const shown = await ask('GET', `/item/account/${id}`);
  assert.deepEqual(shown.body, updated.body);
  assert.ok(!('iban' in shown.body) && !('note' in shown.body));
  assert.equal((await ask('PUT', `/update/account/${id}`, { body: shown.body })).status, 200);
});

test('a required value is asked for at the create, and kept when an update leaves it out', async () => {
  const missing = assertProblem(await ask('POST', '/create/account', { body: { holder: 'Bea' } }), 'validation_failed');
  assert.deepEqual(pointers(missing), ['/iban']);
  const { id } = (await ask('POST', '/create/account', { body: { iban: sent('kept') } })).body;
  assert.equal((await ask('PUT', `/update/account/${id}`, { body: { holder: 'Bea' } })).status, 200);
  const cleared = assertProblem(
    await ask('PUT', `/update/account/${id}`, { body: { iban: null } }),
    'validation_failed',
  );
  assert.deepEqual(pointers(cleared), ['/iban']);
});

const badValues: readonly (readonly [string, unknown])[] = [
  ['a number', 7],
  ['an object', { secret: sent('object') }],
  ['a list', [sent('list')]],
  ['a text that is too long', sent('x'.repeat(100))],
  ['a text that is too short', 'abc'],
];

for (const [what, iban] of badValues)
  test(`${what} is refused without being repeated`, async () => {
    const before = await list(founder, 'account');
    const reply = await ask('POST', '/create/account', { body: { holder: 'Eve', iban } });
    assert.deepEqual(pointers(assertProblem(reply, 'validation_failed')), ['/iban']);
    assert.deepEqual(await list(founder, 'account'), before);
  });

test('no list, count or search tells anything of it', async () => {
  await create(founder, 'account', { holder: 'Cleo', iban: sent('listed') });
  const value = encodeURIComponent(sent('listed'));
  for (const route of ['list', 'count']) {
    for (const query of [
      `iban=${value}`,
      'iban=a&iban_op=gt',
      'iban=true&iban_op=exists',
      `iban=${canary}&iban_op=startswith`,
    ]) {
      const reply = await act(founder, 'GET', `/${route}/account?${query}`);
      assert.deepEqual(pointers(assertProblem(reply, 'invalid_request')), ['/iban'], query);
    }
    assert.equal((await ask('GET', `/${route}/account?holder=Cleo`)).status, 200);
  }
  assertProblem(await ask('GET', '/list/account?sortby=iban'), 'unindexed_sort');
  const page = await list(founder, 'account', `?q=${canary}`);
  assert.deepEqual(page.items, []);
  for (const query of [
    '',
    '?sortby=holder',
    '?sortby=updated_at&sortdir=desc',
    '?q=cleo',
    '?view=default',
    '?view=compact',
  ])
    assert.equal((await ask('GET', `/list/account${query}`)).status, 200, query);
});

test('a refusal for another field, a conflict and a missing record do not repeat it', async () => {
  const body = { holder: 7, iban: sent('beside a mistake'), [sent('as a name')]: 1 };
  assert.equal((await act(founder, 'POST', '/create/account', { body })).status, 400);
  const gone = `/update/account/01890000-0000-7000-8000-000000000000`;
  assertProblem(await ask('PUT', gone, { body: { iban: sent('to absent') } }), 'not_found');
  const { id } = await create(founder, 'account', { iban: sent('guarded') });
  const stale = { headers: { 'if-match': '"0"' }, body: { iban: sent('too late') } };
  assertProblem(await ask('PUT', `/update/account/${id}`, stale), 'version_mismatch');
  assertProblem(
    await ask('PUT', `/update/account/${id}`, { body: `{"iban": "${sent('unclosed')}` }),
    'invalid_request',
  );
  assert.equal((await ask('DELETE', `/delete/account/${id}`)).status, 204);
});

test('batches, repeated requests, imports and exports take values and give none back', async () => {
  const data = (where: string) => ({ holder: 'Dora', iban: sent(where) });
  for (const mode of ['atomic', 'independent']) {
    const operations = [
      { action: 'create', entity: 'account', data: data(`in a batch that is ${mode}`) },
      { action: 'create', entity: 'account', data: { iban: 7, note: sent('beside a mistake') } },
      { action: 'update', entity: 'account', id: '01890000-0000-7000-8000-000000000000', data: data('for absent') },
    ];
    for (const taken of [operations, operations.slice(0, 1)])
      assert.ok([200, 400].includes((await ask('POST', '/batch', { body: { mode, operations: taken } })).status));
  }
  const once = { headers: { 'idempotency-key': 'one key' }, body: data('once') };
  for (const expected of [undefined, 'true']) {
    const reply = await ask('POST', '/create/account', once);
    assert.deepEqual([reply.status, reply.headers.get('idempotency-replayed') ?? undefined], [201, expected]);
  }
  const rows = [data('in a row'), { holder: 7, iban: sent('in a bad row') }, { iban: sent('x'.repeat(100)) }];
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const table = `holder,iban\nEdda,"${sent('in a table')}"\nEdda,${sent('too long').repeat(20)}\n"${sent('unclosed')}\n`;
  for (const [type, body] of [
    ['application/x-ndjson', lines],
    ['application/x-ndjson', `{"iban": "${sent('unclosed')}`],
    ['text/csv', table],
  ] as const)
    for (const query of ['', '?dry_run=true']) {
      const reply = await ask('POST', `/import/account${query}`, { headers: { 'content-type': type }, body });
      assert.ok([200, 400].includes(reply.status), reply.text);
    }
  for (const accept of ['application/x-ndjson', 'text/csv']) {
    const reply = await ask('GET', '/export/account', { headers: { accept } });
    assert.equal(reply.status, 200, reply.text);
    assert.match(reply.text, /Dora/);
    assert.doesNotMatch(reply.text, /iban|note/);
  }
});

const badDefinitions: readonly (readonly [string, object, string])[] = [
  ['an index', { UpdateParams: [{ name: 'iban', colType: 'encrypted', index: true }] }, '/UpdateParams/0/index'],
  [
    'words to search for',
    { UpdateParams: [{ name: 'iban', colType: 'encrypted', search: true }] },
    '/UpdateParams/0/search',
  ],
  ['a default', { UpdateParams: [{ name: 'iban', colType: 'encrypted', default: 'x' }] }, '/UpdateParams/0/default'],
  ['uniqueness', { UniqueIndexes: [{ indexName: 'a', fields: ['iban'] }] }, '/UniqueIndexes/0/fields/0'],
  ['a place in a key', { baseKeys: { pkTemplate: 'org#{org};a', skTemplate: '{iban}#{id}' } }, '/baseKeys/skTemplate'],
  [
    'an owner',
    { ownerIndexes: [{ ownerFieldName: 'iban', gpkTemplate: 'org#{org};o#{iban}', gskTemplate: '{id}' }] },
    '/ownerIndexes/0/ownerFieldName',
  ],
  ['a view', { Views: { all: { fields: [{ name: 'iban' }] } } }, '/Views/all/fields/0/name'],
];

for (const [what, change, pointer] of badDefinitions)
  test(`an encrypted field has no part in ${what}`, async () => {
    const own = await signUp(platform);
    const body = { ...definition('account', fields), ...change };
    const reply = await manage(own, 'POST', '/api/create-account', { body });
    assert.ok(pointers(assertProblem(reply, 'validation_failed')).includes(pointer), reply.text);
  });

test('a formula cannot copy an encrypted field', async () => {
  const own = await signUp(platform);
  const copy = { name: 'copy', colType: 'formula', formula: '{iban}' };
  const reply = await manage(own, 'POST', '/api/create-account', { body: definition('account', [...fields, copy]) });
  assert.deepEqual(pointers(assertProblem(reply, 'validation_failed')), ['/UpdateParams/3/formula']);
});

test('a run waits with a value in its input, and in what its steps gave', async () => {
  const steps = [
    { id: 'kept', type: 'transform', value: '{{ input.iban }}' },
    { id: 'first', type: 'create', entity: 'account', values: { holder: 'Wim', iban: 'DE00' } },
    { id: 'later', type: 'wait', seconds: 86_400 },
    { id: 'made', type: 'create', entity: 'account', values: { holder: 'Wim', iban: '{{ steps.kept }}' } },
  ];
  const made = await manage(org, 'POST', '/config/logicblock', {
    body: { name: 'wait', content: { name: 'wait', steps } },
  });
  assert.equal(made.status, 201, made.text);
  const run = await ask('POST', '/logicblocks/wait', { body: { iban: sent('waiting') } });
  assert.equal(run.status, 202, run.text);
  const shown = await manage<{ state: string }>(org, 'GET', `/runs/${String(run.body.run)}`);
  assert.equal(shown.body.state, 'waiting', shown.text);
  replies.push(shown.text);
});

test('no reply has held a value', async () => {
  for (const path of ['/api/entities', '/api/entity?entityName=account', '/api/entity/endpoints?entity=account'])
    replies.push((await manage(org, 'GET', path)).text);
  replies.push((await act(founder, 'GET', '/openapi.json')).text);
  assert.ok(replies.length > 25);
  for (const reply of replies) assertWithout(Buffer.from(reply), reply);
});

test('no log line and no file of the platform holds a value, while it runs and after it was ended', {
  skip: whyNoDataDir,
}, async () => {
  const look = (): void => {
    assertWithout(Buffer.from(platform.stdout() + platform.stderr()), 'the log');
    const files = readdirSync(platform.dataDir, { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    );
    const contents = files.map(({ name, parentPath }) => ({ name, bytes: readFileSync(join(parentPath, name)) }));
    assert.ok(
      contents.some(({ bytes }) => bytes.includes('Cleo')),
      'the other fields are in the files',
    );
    for (const { name, bytes } of contents) assertWithout(bytes, name);
  };
  look();
  await platform.terminate();
  look();
});
