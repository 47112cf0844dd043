import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { orgAudit, readEntry } from '../audit/audit-entry.ts';
import { createOperatorLog } from '../audit/operator-log.ts';
import { openStore } from '../store/testing/open-store.ts';
import { loadSecrets, type SecretsVault } from './secrets.ts';
import { openSigningKeys, startKeyUpkeep } from './signing-keys.ts';
import { createSecretsInMemory } from './testing/secrets-in-memory.ts';

const day = 24 * 60 * 60 * 1000;

test('a key that the platform makes by itself, because the previous one is too old, is in the operator’s log once', async () => {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const clock = { now: () => now };
  const { store } = await openStore({ kind: 'memory', clock });
  const platform = store.scope('platform');
  const vault = createSecretsInMemory();
  await loadSecrets(vault, clock);
  const keys = await openSigningKeys({ vault, clock, ageDaysMax: 90 });
  const turn = async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    const onError = (error: unknown) => assert.fail(String(error));
    const upkeep = startKeyUpkeep({ keys, operatorLog: createOperatorLog(platform, clock), onError });
    mock.timers.tick(10_000);
    mock.timers.reset();
    await upkeep.close();
  };
  const entries = async () => (await platform.range(orgAudit, { limit: 10 })).flatMap((item) => readEntry(item) ?? []);
  await turn();
  assert.deepEqual(await entries(), []);
  now += 91 * day;
  await turn();
  await turn();
  const [made, ...others] = keys.list().filter(({ state }) => state === 'published');
  assert.ok(made !== undefined && others.length === 0);
  assert.deepEqual(
    (await entries()).map(({ action, actor, target }) => [action, actor, target?.id]),
    [['signing_key.made', { kind: 'platform', id: 'platform' }, made.kid]],
  );
});

test('a key is recorded once, however often storing it is tried, and under its stored id', async () => {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const clock = { now: () => now };
  const kept = createSecretsInMemory();
  await loadSecrets(kept, clock);
  let fails = 2;
  const vault: SecretsVault = {
    ...kept,
    write: async (...change) => {
      if (fails-- > 0) throw new Error('the disk is full');
      return kept.write(...change);
    },
  };
  const keys = await openSigningKeys({ vault, clock, ageDaysMax: 90 });
  const notified: string[] = [];
  const notify = async (kid: string) => void notified.push(kid);
  now += 91 * day;
  for (const attempt of ['first', 'second']) await assert.rejects(keys.tend(notify), /full/, attempt);
  now += 60_000;
  await keys.tend(notify);
  const [made] = keys.list().filter(({ state }) => state === 'published');
  assert.deepEqual(notified, [made?.kid]);
  assert.equal(made?.signs_from, new Date(now + 10 * 60_000).toISOString());

  const [first] = keys.list();
  const revoked: string[] = [];
  for (const kid of [made?.kid ?? '', first?.kid ?? ''])
    await keys.revoke(kid, { made: notify, revoked: async (gone) => void revoked.push(gone) });
  assert.deepEqual(revoked, [made?.kid, first?.kid]);
  assert.deepEqual(notified, [made?.kid, keys.current().kid]);
});
