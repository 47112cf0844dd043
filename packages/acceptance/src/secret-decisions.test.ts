/** The text that is said of decisions, samples, runs and drafts holds no value that was sent to an encrypted field. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reply } from './call.ts';
import {
  type AppUser,
  act,
  allow,
  create,
  defineEntity,
  definition,
  foundedOrg,
  grant,
  manage,
  memberWith,
  type Org,
  withCondition,
} from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const secret = 'SENTPIN11';

interface Vault {
  readonly org: Org;
  readonly founder: AppUser;
  /** The callers that may do what he asks for only with another pin. */
  readonly clerk: AppUser;
}

/** Every name by which a policy knows the field: its own, an alias, one from before, and each in other letters. */
const names = ['pin', 'PIN', 'code', 'Code', 'cipher', 'CIPHER'];

/** The field was called `cipher`, is called `pin` now, and its senders may say `code`. */
async function vault(statements: readonly object[]): Promise<Vault> {
  const { org, founder } = await foundedOrg(gateways);
  const fields = [{ name: 'title' }, { name: 'cipher', colType: 'encrypted' }];
  await defineEntity(org, {
    ...definition('card', fields),
    UniqueIndexes: [{ indexName: 'by_title', fields: ['title'] }],
  });
  // The name that it had is an alias until the aliases are others.
  for (const field of [
    { name: 'pin', renamedFrom: 'cipher' },
    { name: 'pin', aliases: ['code'] },
  ]) {
    const changed = await manage(org, 'PUT', '/api/create-card', { body: { UpdateParams: [field] } });
    assert.equal(changed.status, 200, changed.text);
  }
  const clerk = await memberWith(founder, []);
  await grant(founder, clerk, statements as never);
  return { org, founder, clerk };
}

function assertWithout({ status, text }: Reply<unknown>): void {
  assert.ok(!text.includes(secret), `${status} ${text}`);
}

async function assertExplainedWithout(org: Org, denied: Reply<unknown>): Promise<string> {
  assertWithout(denied);
  const id = denied.headers.get('x-request-id');
  const explained = await manage(org, 'GET', `/acl/decisions?request_id=${id}`);
  assert.equal(explained.status, 200, explained.text);
  assertWithout(explained);
  assertWithout(await manage(org, 'GET', '/acl/decisions'));
  return explained.text;
}

const equals = (key: string, value: string) => ({ StringEquals: { [key]: [value] } });

test('a denial by a value that was sent to an encrypted field does not show it, by whichever name', async () => {
  for (const name of names) {
    const { org, clerk } = await vault([withCondition(allow('createcard'), equals(`request.body.${name}`, 'another'))]);
    for (const sent of ['pin', 'code']) {
      const denied = await act(clerk, 'POST', '/create/card', { body: { title: 'a', [sent]: secret } });
      assert.equal(denied.status, 403, denied.text);
      const text = await assertExplainedWithout(org, denied);
      assert.match(
        text,
        new RegExp(`"key":"request.body.${name}","expected":\\["another"\\],"actual":\\["\\*\\*\\*"\\]`),
      );
    }
  }
});

test('a variable that leads to such a value stays as it is written', async () => {
  const { org, clerk } = await vault([
    withCondition(allow('createcard'), equals('request.body.title', `\${request.body.code}`)),
  ]);
  const denied = await act(clerk, 'POST', '/create/card', { body: { title: 'a', pin: secret } });
  const text = await assertExplainedWithout(org, denied);
  assert.match(text, /"expected":\["\$\{request.body.code\}"\],"actual":\["a"\]/);
});

test('updates, batches, imports, upserts, filters and questions do not show it', async () => {
  const condition = equals('request.body.pin', 'another');
  const { org, founder, clerk } = await vault([
    allow('getcard'),
    withCondition(allow(['createcard', 'updatecard']), condition),
    withCondition(allow('listcard'), equals('request.queryParameters.pin', 'another')),
  ]);
  const { id } = await create(founder, 'card', { title: 'one' });
  const body = { title: 'one', code: secret };
  const calls: readonly (readonly [string, string, unknown])[] = [
    ['PUT', `/update/card/${id}`, { pin: secret }],
    ['POST', '/batch', { mode: 'independent', operations: [{ action: 'create', entity: 'card', data: body }] }],
    [
      'POST',
      '/batch',
      { mode: 'atomic', operations: [{ action: 'update', entity: 'card', id, data: { pin: secret } }] },
    ],
    ['POST', '/import/card', [body]],
    ['POST', '/import/card?upsert=by_title', [body]],
    ['POST', '/import/card?dry_run=true', [body]],
    ['GET', `/list/card?pin=${secret}`, undefined],
    [
      'POST',
      '/access/v1/evaluation',
      {
        subject: { type: 'user', id: clerk.id },
        action: { name: 'create' },
        resource: { type: 'card', properties: { pin: secret } },
      },
    ],
  ];
  for (const [method, path, sent] of calls) {
    const isImport = path.startsWith('/import');
    const options = isImport
      ? {
          body: (sent as readonly object[]).map((row) => JSON.stringify(row)).join('\n'),
          headers: { 'content-type': 'application/x-ndjson' },
        }
      : sent === undefined
        ? {}
        : { body: sent };
    assertWithout(await act(clerk, method, path, options));
  }
  const decisions = await manage<{ items: readonly { action: string }[] }>(org, 'GET', '/acl/decisions?pagesize=200');
  assertWithout(decisions);
  const actions = new Set(decisions.body.items.map(({ action }) => action));
  assert.deepEqual([...actions].sort(), ['createcard', 'listcard', 'updatecard']);
});

test('a simulation does not show what it was given for such a field', async () => {
  const { org, founder, clerk } = await vault([
    withCondition(allow('createcard'), equals('request.body.code', 'another')),
    withCondition(allow('getcard'), equals('record.pin', 'another')),
  ]);
  const request = { tenant_code: founder.tenantCode, user_id: clerk.id };
  for (const body of [
    { ...request, method: 'POST', path: '/create/card', context: { request: { body: { pin: secret } } } },
    { ...request, action: 'getcard', resource: '/item/card/x', record: { title: 'a', pin: secret } },
    { ...request, action: 'getcard', resource: '/item/card/x', record: { title: 'a', code: secret } },
  ]) {
    const simulated = await manage(org, 'POST', '/acl/simulate', { body });
    assert.equal(simulated.status, 200, simulated.text);
    assertWithout(simulated);
  }
});

test('no sample keeps it, so a draft that asks for it is undecidable', async () => {
  for (const name of names) {
    const statement = withCondition(allow('createcard'), equals(`request.body.${name}`, secret));
    const { org, founder, clerk } = await vault([allow('getcard'), statement]);
    const made = await act(clerk, 'POST', '/create/card', { body: { title: 'a', pin: secret } });
    assert.equal(made.status, 201, made.text);
    const guess = {
      Effect: 'Deny',
      Action: ['createcard'],
      Resource: ['*'],
      Condition: { StringLike: { [`request.body.${name}`]: ['SENT*'] } },
    };
    const draft = { statements: [guess] };
    const body = { tenant_code: founder.tenantCode, draft, principals: [clerk.id] };
    const replayed = await manage<{ undecidable: { count: number }; newly_denied: { count: number } }>(
      org,
      'POST',
      '/acl/replay',
      { body },
    );
    assert.deepEqual([replayed.body.newly_denied.count, replayed.body.undecidable.count], [0, 1], replayed.text);
  }
});

const transformed = { id: 'kept', type: 'transform', value: 'it was {{ input.pin }}' };
const write = { id: 'made', type: 'create', entity: 'card', values: { title: 'a', pin: '{{ input.pin }}' } };

test('a logic block that may not write such a value shows it neither in a run nor where it is tried', async () => {
  const { org, founder } = await vault([]);
  const policies = [withCondition(allow('createcard'), equals('request.body.pin', 'another'))];
  const content = {
    name: 'keep',
    run_as: 'app',
    policies,
    steps: [{ ...write, id: 'first', values: { title: 'b' } }, transformed, write],
  };
  const allowed = {
    ...content,
    policies: [...policies, withCondition(allow('createcard'), equals('request.body.title', 'b'))],
  };
  const made = await manage(org, 'POST', '/config/logicblock', { body: { name: 'keep', content: allowed } });
  assert.equal(made.status, 201, made.text);
  const run = await act<{ run: string }>(founder, 'POST', '/logicblocks/keep', { body: { pin: secret } });
  assert.equal(run.status, 403, run.text);
  assertWithout(run);
  const shown = await manage<{ state: string; input: unknown }>(org, 'GET', `/runs/${run.body.run}`);
  assert.deepEqual([shown.body.state, shown.body.input], ['failed', { pin: '***' }], shown.text);
  assertWithout(shown);
  const body = { content: allowed, tenant_code: founder.tenantCode, input: { pin: secret } };
  const tried = await manage<{ error: { code: string } }>(org, 'POST', '/logicblocks/test', { body });
  assert.equal(tried.body.error.code, 'access_denied', tried.text);
  assertWithout(tried);
  assertWithout(await manage(org, 'GET', '/acl/decisions?pagesize=200'));
});
