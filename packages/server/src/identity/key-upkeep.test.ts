import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { orgAudit, readEntry } from '../audit/audit-entry.ts';
import { createOperatorLog } from '../audit/operator-log.ts';
import { openStore } from '../store/open-store.ts';
import { startKeyUpkeep } from './key-upkeep.ts';
import { loadSecrets } from './secrets.ts';
import { createSecretsInMemory } from './secrets-in-memory.ts';
import { openSigningKeys } from './signing-keys.ts';

const day = 24 * 60 * 60 * 1000;

test('a key that the platform makes by itself, as the one before is too old, stands in the operator’s log once', async () => {
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
  const told = async () => (await platform.range(orgAudit, { limit: 10 })).flatMap((item) => readEntry(item) ?? []);
  await turn();
  assert.deepEqual(await told(), []);
  now += 91 * day;
  await turn();
  await turn();
  const [made, ...others] = keys.list().filter(({ state }) => state === 'published');
  assert.ok(made !== undefined && others.length === 0);
  assert.deepEqual(
    (await told()).map(({ action, actor, target }) => [action, actor, target?.id]),
    [['signing_key.made', { kind: 'platform', id: 'platform' }, made.kid]],
  );
});
