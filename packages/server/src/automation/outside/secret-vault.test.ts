import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { createSealer } from '../../records/port.ts';
import { openForTest, storeKinds } from '../../store/testing/open-test-store.ts';
import { outcomeOf } from '../../testing/record-bench.ts';
import { createSecretReader, createSecretVault } from './secret-vault.ts';

const sealer = createSealer([{ kid: 'k1', key: Buffer.alloc(32, 1).toString('base64url') }]);
const at = (seconds: number) => `2026-11-20T09:30:0${seconds}.000Z`;

function command(name: string, { env = 'test', orgCode = 'acme', seconds = 0 } = {}) {
  const actor = { kind: 'org_user', id: 'builder' } as const;
  return { env: env as 'test' | 'prod', orgCode, name, auditContext: { at: at(seconds), actor, request_id: 'r' } };
}

for (const kind of storeKinds) {
  test(`a value is sealed for its name, environment and org, and no reply has it (${kind})`, async (context) => {
    const { vault, stores } = await opened(context, kind);
    const value = 'a-value-that-is-long';
    const set = await vault.set(command('stripe'), { value, hosts: ['api.stripe.com'] });
    const shown = { name: 'stripe', hosts: ['api.stripe.com'], created_at: at(0), updated_at: at(0) };
    assert.deepEqual(set, { ...shown, updated_by: 'builder' });
    assert.deepEqual(await vault.list('test', 'acme'), [set]);
    const scope = stores.test.scope('org#acme');
    const [row] = await scope.range('automation-secret', { limit: 10 });
    assert.ok(row !== undefined && !row.value.includes(value));
    const { sealed } = JSON.parse(row.value);
    const location = { scope: scope.name, entityName: 'automation-secret', id: 'stripe', field: 'value' };
    assert.equal(sealer.open(sealed, location), value);
    assert.throws(() => sealer.open(sealed, { ...location, id: 'other' }));
    assert.throws(() => sealer.open(sealed, { ...location, scope: 'org#other' }));
    for (const text of (await scope.range('audit', { limit: 10 })).map((entry) => entry.value))
      assert.ok(!text.includes(value));
  });

  test(`a value is replaced together with its hosts (${kind})`, async (context) => {
    const { vault } = await opened(context, kind);
    await vault.set(command('stripe'), { value: 'one', hosts: ['old.example'] });
    await vault.set(command('stripe', { seconds: 5 }), { value: 'two', hosts: [] });
    const [secret, ...others] = await vault.list('test', 'acme');
    assert.deepEqual(others, []);
    assert.deepEqual([secret?.hosts, secret?.created_at, secret?.updated_at], [[], at(0), at(5)]);
  });

  test(`what the platform itself reads is the value of that name, environment and org (${kind})`, async (context) => {
    const { vault, stores } = await opened(context, kind);
    const reader = createSecretReader({ stores, sealer });
    await vault.set(command('stripe'), { value: 'one', hosts: ['a.example'] });
    await vault.set(command('stripe', { env: 'prod' }), { value: 'two', hosts: [] });
    assert.deepEqual(await reader.open('test', 'acme', 'stripe'), { value: 'one', hosts: ['a.example'] });
    assert.deepEqual(await reader.open('prod', 'acme', 'stripe'), { value: 'two', hosts: [] });
    for (const [orgCode, name] of [
      ['other', 'stripe'],
      ['acme', 'Stripe'],
      ['acme', ''],
      ['acme', '__proto__'],
    ] as const)
      assert.equal(await reader.open('test', orgCode, name), undefined);
    await vault.remove(command('stripe'));
    assert.equal(await reader.open('test', 'acme', 'stripe'), undefined);
  });

  test(`of many who set the last secret that an environment may have one sets it (${kind})`, async (context) => {
    const { vault } = await opened(context, kind);
    const set = (name: string) => outcomeOf(vault.set(command(name), { value: 'x', hosts: [] }));
    const first = await Promise.all(Array.from({ length: 99 }, (_, index) => set(`s${index}`)));
    assert.deepEqual(new Set(first), new Set(['done']));
    const last = await Promise.all(Array.from({ length: 6 }, (_, index) => set(`t${index}`)));
    assert.deepEqual(last.sort(), [...Array<string>(5).fill('conflict'), 'done']);
    assert.equal(await set('s0'), 'done');
    const removals = Array.from({ length: 3 }, () => outcomeOf(vault.remove(command('s0'))));
    assert.deepEqual((await Promise.all(removals)).sort(), ['done', 'not_found', 'not_found']);
    assert.deepEqual([await set('u0'), await set('u1')], ['done', 'conflict']);
    assert.equal((await vault.list('test', 'acme')).length, 100);
  });
}

test('a secret is of one environment and one org', async (context) => {
  const { vault } = await opened(context, 'memory');
  await vault.set(command('stripe'), { value: 'x', hosts: [] });
  assert.deepEqual(await vault.list('prod', 'acme'), []);
  assert.deepEqual(await vault.list('test', 'other'), []);
  for (const elsewhere of [{ env: 'prod' }, { orgCode: 'other' }])
    assert.equal(await outcomeOf(vault.remove(command('stripe', elsewhere))), 'not_found');
  assert.equal((await vault.list('test', 'acme')).length, 1);
});

test('a name that is none is refused before anything is read', async (context) => {
  const { vault } = await opened(context, 'memory');
  for (const name of ['', '1a', 'a b', 'a;b', 'ä', 'a'.repeat(65), '__proto__', '-a']) {
    const refused = vault.set(command(name), { value: 'x', hosts: [] });
    await assert.rejects(refused, (error) => error instanceof Problem && error.code === 'validation_failed', name);
    assert.equal(await outcomeOf(vault.remove(command(name))), 'not_found');
  }
  assert.deepEqual(await vault.list('test', 'acme'), []);
});

async function opened(context: Parameters<typeof openForTest>[0], kind: Parameters<typeof openForTest>[1]) {
  const [test, prod] = [await openForTest(context, kind, systemClock), await openForTest(context, kind, systemClock)];
  const stores = { test: test.store, prod: prod.store };
  return { stores, vault: createSecretVault({ stores, sealer }) };
}
