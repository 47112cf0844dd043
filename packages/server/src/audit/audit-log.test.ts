import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Append, Scope } from '../store/port.ts';
import { openStore } from '../store/testing/open-store.ts';
import { type AuditContext, auditEntry, platformAuditEntry } from './audit-entry.ts';
import { type AuditFilter, createAuditLog } from './audit-log.ts';

const clock = { now: () => 0 };

/** Plain texts serve as cursors here; that they are sealed is for the composition root to see to. */
const cursors = {
  seal: (position: string, binding: readonly string[]) => JSON.stringify([binding, position]),
  open: (cursor: string, binding: readonly string[]) => {
    const [bound, position] = JSON.parse(cursor) as [readonly string[], string];
    assert.deepEqual(bound, binding);
    return position;
  },
};

async function bench(slicesMax?: number) {
  const scopes = await Promise.all(
    ['platform', 'test', 'prod'].map(async (name) => (await openStore({ kind: 'memory', clock })).store.scope(name)),
  );
  const [platform, test, prod] = scopes as [Scope, Scope, Scope];
  const inside = (await openStore({ kind: 'memory', clock })).store;
  const workspaceScopes = (orgCode: string, tenantCode: string) => ({
    test: inside.scope(`${orgCode}-${tenantCode}`),
    prod: inside.scope(`prod of ${orgCode}-${tenantCode}`),
  });
  const log = createAuditLog({ platform, orgScopes: () => ({ test, prod }), workspaceScopes, cursors }, slicesMax);
  const pages = async (filter: AuditFilter = {}, pageSize = 50): Promise<readonly (readonly string[])[]> => {
    const found: string[][] = [];
    let nexttoken: string | undefined;
    do {
      const page = await log.read('acme', { pageSize, filter, nexttoken });
      found.push(page.items.map(({ action }) => action));
      nexttoken = page.nexttoken ?? undefined;
    } while (nexttoken !== undefined);
    return found;
  };
  return { platform, test, prod, workspaceScopes, log, pages };
}

function at(minute: number, actor = 'bea'): AuditContext {
  const at = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
  return { at, actor: { kind: 'org_user', id: actor }, request_id: 'r' };
}

test('entries of three scopes are listed in the order of time, the latest first, once each, in pages of any size', async () => {
  const { platform, test: testScope, prod, pages } = await bench();
  for (let minute = 0; minute < 12; minute++) {
    const audited = { action: `a${minute}` };
    if (minute % 3 === 0) await platform.commit([platformAuditEntry('acme', at(minute), audited)]);
    else await (minute % 3 === 1 ? testScope : prod).commit([auditEntry(at(minute), audited)]);
  }
  const all = Array.from({ length: 12 }, (_, index) => `a${11 - index}`);
  for (const pageSize of [1, 2, 5, 11, 12, 13]) {
    const found = await pages({}, pageSize);
    assert.deepEqual(found.flat(), all);
    assert.equal(found.length, Math.ceil(12 / pageSize));
  }
});

test('a clock that steps back loses no entry and repeats none', async () => {
  const { test: testScope, prod, pages } = await bench();
  for (const minute of [5, 1, 9, 2]) await testScope.commit([auditEntry(at(minute), { action: `t${minute}` })]);
  for (const minute of [4, 8, 0]) await prod.commit([auditEntry(at(minute), { action: `p${minute}` })]);
  const found = (await pages({}, 2)).flat();
  assert.deepEqual([...found].sort(), ['p0', 'p4', 'p8', 't1', 't2', 't5', 't9']);
});

test('pages that go on tell of nothing that was done since the first, and of all that was done before', async () => {
  for (const pageSize of [1, 2, 3]) {
    const { platform, test: testScope, prod, log } = await bench();
    const scopes: readonly [Scope, (action: string, minute: number) => Append][] = [
      [platform, (action, minute) => platformAuditEntry('acme', at(minute), { action })],
      [testScope, (action, minute) => auditEntry(at(minute), { action })],
      [prod, (action, minute) => auditEntry(at(minute), { action })],
    ];
    // Production has no entry yet, and those of the platform are older than a first page.
    for (let minute = 0; minute < 9; minute++) {
      const [scope, entry] = scopes[minute < 4 ? 0 : 1] ?? assert.fail();
      await scope.commit([entry(`a${minute}`, minute)]);
    }
    const found: string[] = [];
    let nexttoken: string | undefined;
    for (let page = 0; page === 0 || nexttoken !== undefined; page++) {
      const read = await log.read('acme', { pageSize, filter: {}, nexttoken });
      found.push(...read.items.map(({ action }) => action));
      nexttoken = read.nexttoken ?? undefined;
      for (const [scope, entry] of scopes) await scope.commit([entry(`later ${page}`, 60 + page)]);
    }
    assert.deepEqual(
      found,
      Array.from({ length: 9 }, (_, index) => `a${8 - index}`),
    );
  }
});

test('an org reads its own entries of the platform alone', async () => {
  const { platform, pages } = await bench();
  await platform.commit([
    platformAuditEntry('acme', at(1), { action: 'own' }),
    platformAuditEntry('acme2', at(2), { action: 'other' }),
  ]);
  assert.deepEqual(await pages(), [['own']]);
});

test('environment, actor and the start of an action choose among the entries', async () => {
  const { platform, test: testScope, prod, pages } = await bench();
  await platform.commit([platformAuditEntry('acme', at(1), { action: 'client_id.rotated', env: 'test' })]);
  await platform.commit([platformAuditEntry('acme', at(2), { action: 'org_user.invited' })]);
  await testScope.commit([auditEntry(at(3, 'carl'), { action: 'entity.defined', env: 'test' })]);
  await prod.commit([auditEntry(at(4), { action: 'service_key.created', env: 'prod' })]);
  assert.deepEqual(await pages({ env: 'test' }), [['entity.defined', 'client_id.rotated']]);
  assert.deepEqual(await pages({ env: 'prod' }), [['service_key.created']]);
  assert.deepEqual(await pages({ actor: 'carl' }), [['entity.defined']]);
  assert.deepEqual(await pages({ action: 'org_' }), [['org_user.invited']]);
});

test('a page that finds little among much ends short, and the pages together find it all', async () => {
  const { test: testScope, log, pages } = await bench();
  await testScope.commit([auditEntry(at(0), { action: 'rare' })]);
  for (let batch = 0; batch < 3; batch++)
    await testScope.commit(Array.from({ length: 500 }, () => auditEntry(at(1), { action: 'frequent' })));
  assert.deepEqual(await pages({ action: 'rare' }), [[], ['rare']]);
  const short = await log.read('acme', { pageSize: 50, filter: { action: 'rare' }, nexttoken: undefined });
  const full = await log.read('acme', { pageSize: 50, filter: {}, nexttoken: undefined });
  assert.deepEqual([short.partial, full.partial, full.items.length], [true, undefined, 50]);
});

test('entries from inside a workspace are listed with that workspace only, beside those of the org about it', async () => {
  const { test: testScope, workspaceScopes, pages } = await bench();
  const [main, other] = [workspaceScopes('acme', 'main'), workspaceScopes('acme', 'other')];
  await testScope.commit([auditEntry(at(1), { action: 'workspace.created', env: 'test', tenant_code: 'main' })]);
  await main.test.commit([auditEntry(at(2), { action: 'policy.created', env: 'test', tenant_code: 'main' })]);
  await main.prod.commit([auditEntry(at(3), { action: 'policy.removed', env: 'prod', tenant_code: 'main' })]);
  await other.test.commit([auditEntry(at(4), { action: 'group.created', env: 'test', tenant_code: 'other' })]);
  await testScope.commit([auditEntry(at(5), { action: 'entity.defined', env: 'test' })]);
  assert.deepEqual(await pages(), [['entity.defined', 'workspace.created']]);
  assert.deepEqual(await pages({ tenantCode: 'main' }), [['policy.removed', 'policy.created', 'workspace.created']]);
  assert.deepEqual(await pages({ tenantCode: 'main', env: 'test' }, 1), [['policy.created'], ['workspace.created']]);
});

test('target, request and times choose among the entries', async () => {
  const { test: testScope, pages } = await bench();
  for (const minute of [1, 2, 3]) {
    const target = { kind: 'entity', id: `e${minute}` };
    const auditContext = { ...at(minute), request_id: `r${minute}` };
    await testScope.commit([auditEntry(auditContext, { action: `a${minute}`, target })]);
  }
  assert.deepEqual(await pages({ target: 'e2' }), [['a2']]);
  assert.deepEqual(await pages({ requestId: 'r3' }), [['a3']]);
  assert.deepEqual(await pages({ from: at(2).at }), [['a3', 'a2']]);
  assert.deepEqual(await pages({ to: at(2).at }), [['a1']]);
});

test('an item that is not an entry, written from outside, hides no entry', async () => {
  const { test: testScope, log, platform, pages } = await bench();
  await testScope.commit([auditEntry(at(1), { action: 'first' })]);
  for (const value of ['', '{}', 'x'.repeat(70), `${'0'.repeat(64)} [1`])
    await testScope.commit([{ kind: 'append', pk: 'audit', value }]);
  await testScope.commit([auditEntry(at(2), { action: 'last' })]);
  assert.deepEqual(await pages(), [['last', 'first']]);
  await platform.commit([auditEntry(at(3), { action: 'signing_key.made' })]);
  const { items } = await log.readOperator({ pageSize: 50, filter: {}, nexttoken: undefined });
  assert.deepEqual(
    items.map(({ action }) => action),
    ['signing_key.made'],
  );
});

test('a log is read on in slices, each entry once, and ends with a token where there is more', async () => {
  const { test: testScope, prod, log } = await bench(2);
  for (let batch = 0; batch < 5; batch++)
    for (const scope of [testScope, prod])
      await scope.commit(
        Array.from({ length: 500 }, (_, index) => auditEntry(at(batch), { action: `${batch} ${index}` })),
      );
  const readOn = async (filter: AuditFilter, nexttoken?: string) => {
    const slices = [];
    for await (const slice of log.readOn('acme', { filter, nexttoken })) slices.push(slice);
    return slices;
  };
  const found: string[] = [];
  const counts: number[][] = [];
  let nexttoken: string | undefined;
  do {
    const slices = await readOn({}, nexttoken);
    counts.push(slices.map(({ items }) => items.length));
    found.push(...slices.flatMap(({ items }) => items.map(({ at, action }) => `${at} ${action}`)));
    nexttoken = slices.at(-1)?.nexttoken ?? undefined;
    assert.ok(slices.slice(0, -1).every((slice) => slice.nexttoken === null));
  } while (nexttoken !== undefined);
  assert.deepEqual(counts, [[1000, 1000], [1000, 1000], [1000]]);
  assert.equal(found.length, 5000);
  assert.deepEqual(new Set(found).size, 2500, 'both scopes have an entry of each action at each time');
  const [rare, end] = await readOn({ action: '4 499' });
  assert.deepEqual([rare?.items.length, end?.items.length, typeof end?.nexttoken], [2, 0, 'string']);
  assert.throws(() => log.readOn('beta', { filter: {}, nexttoken: end?.nexttoken ?? '' }));
});
