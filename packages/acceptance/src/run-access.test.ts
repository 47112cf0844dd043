/** The action `run` wherever rights are asked about: each answer is what the call itself would get. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AppUser, act, allow, deny, foundedOrg, manage, memberWith, withCondition } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';

const gateways = await platformForTests();
const { org, founder } = await foundedOrg(gateways);
const steps = [{ id: 'one', type: 'set', values: { a: 1 } }];
for (const name of ['open', 'shut', 'small', 'deep']) {
  const reply = await manage(org, 'POST', '/config/logicblock', {
    body: { name, content: { name, steps, returns: 1 } },
  });
  assert.equal(reply.status, 201, reply.text);
}
const small = withCondition(allow('runsmall', '/logicblocks/small'), {
  NumericLessThan: { 'request.body.amount': 10 },
});
const ann = await memberWith(founder, [
  allow('runopen', '/logicblocks/open'),
  small,
  allow('rundeep', '/logicblocks/deep/*'),
  allow('runmissing', '/logicblocks/missing'),
  deny('runshut', '/logicblocks/*'),
]);

async function mayRun(resource: object, by: AppUser = ann, action = 'run') {
  const body = {
    subject: { type: 'user', id: by.id },
    action: { name: action },
    resource: { type: 'logicblock', ...resource },
  };
  const reply = await act<{ decision: boolean; context?: { reason: string } }>(by, 'POST', '/access/v1/evaluation', {
    body,
  });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

test('an evaluation of `run` is what the call of the block gets', async () => {
  const requested = [
    { name: 'open' },
    { name: 'open', path: 'x' },
    { name: 'shut' },
    { name: 'deep' },
    { name: 'deep', path: 'x' },
    { name: 'small', input: { amount: 9 } },
    { name: 'small', input: { amount: 11 } },
    { name: 'missing' },
    { name: 'unknown' },
  ];
  const decisions: boolean[] = [];
  for (const { name, path, input = {} } of requested)
    for (const action of ['run', `run${name}`]) {
      const route = `/logicblocks/${name}${path === undefined ? '' : `/${path}`}`;
      const called = await act(ann, 'POST', route, { body: input });
      const properties = { input, ...(path === undefined ? {} : { path }) };
      const { decision } = await mayRun({ id: name, properties }, ann, action);
      assert.equal(decision, called.status === 200, `${route} ${called.text}`);
      decisions.push(decision);
    }
  assert.deepEqual(
    decisions.filter((_, index) => index % 2 === 0),
    [true, false, false, false, true, true, false, false, false],
  );
});

test('what hangs on an input that is not given is undecided, and no evaluation tells which blocks there are', async () => {
  assert.deepEqual(await mayRun({ id: 'small' }), { decision: false, context: { reason: 'undecided' } });
  const [shut, unknown] = [await mayRun({ id: 'shut' }), await mayRun({ id: 'unknown' })];
  assert.deepEqual([shut.decision, unknown.decision], [false, false]);
  for (const resource of [
    {},
    { id: '../x' },
    { id: 'open', properties: { path: '../x' } },
    { id: 'open', properties: { path: 1 } },
  ])
    assert.equal((await mayRun(resource)).decision, false);
  assert.equal((await mayRun({ id: 'open' }, ann, 'get')).decision, false);
});

test('the permissions of a caller name the blocks that the caller may run, and no others', async () => {
  const { body } = await act<{ logicblocks: string[] }>(ann, 'GET', '/user/permissions');
  assert.deepEqual(body.logicblocks, ['deep', 'open', 'small']);
  const all = await act<{ logicblocks: string[] }>(founder, 'GET', '/user/permissions');
  assert.deepEqual(all.body.logicblocks, ['deep', 'open', 'shut', 'small']);
  const nothing = await memberWith(founder, [allow('getuser')]);
  assert.deepEqual((await act<{ logicblocks: string[] }>(nothing, 'GET', '/user/permissions')).body.logicblocks, []);
});

test('the matrix shows for each member and block what decides, and none for one entity alone', async () => {
  interface Page {
    readonly items: readonly {
      user_id: string;
      logicblocks: Record<string, { decision: string; conditional?: true }>;
    }[];
  }
  const where = `/acl/matrix?env=test&tenant_code=main&user_id=${ann.id}`;
  const { body, text } = await manage<Page>(org, 'GET', where);
  const [row] = body.items;
  assert.deepEqual(
    Object.entries(row?.logicblocks ?? {}).map(([name, { decision, conditional }]) => [name, decision, conditional]),
    [
      ['deep', 'implicit_deny', undefined],
      ['open', 'allowed', undefined],
      ['shut', 'explicit_deny', undefined],
      ['small', 'undecided', true],
    ],
    text,
  );
  const one = await manage<Page>(org, 'GET', `${where}&entity=user`);
  assert.deepEqual(one.body.items[0]?.logicblocks, {});
});
