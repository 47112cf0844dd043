import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../store/testing/open-store.ts';
import { type Announce, createNotifier, type Failed } from './alerts.ts';

const place = { env: 'test', orgCode: 'acme' } as const;
const hour = 3_600_000;

test('an org is told once an hour of each name that fails, over all nodes, of an event and a block of one name each', async () => {
  let now = 1_800_000_000_000;
  const clock = { now: () => now };
  const { store } = await openStore({ kind: 'memory', clock });
  const platform = store.scope('platform');
  const announced: unknown[] = [];
  const announce: Announce = async (orgCode, event) => {
    announced.push([orgCode, event]);
    return [{ kind: 'add', pk: 'told', sk: orgCode, by: 1 }];
  };
  const nodes = [1, 2].map(() => createNotifier({ platform, now: clock.now, announce }));
  const failures: readonly Failed[] = [
    { kind: 'event', name: 'same' },
    { kind: 'run', name: 'same', code: 'access_denied' },
    { kind: 'schedule', name: 'same', code: 'rate_limited' },
  ];
  const notifyAll = async () => {
    for (const failed of failures) await Promise.all(nodes.map((notify) => notify(place, failed, 2)));
    for (const notify of nodes) for (const failed of failures) await notify(place, failed, 5);
  };
  const describe = async () => Number((await platform.get([{ pk: 'told', sk: 'acme' }]))[0]?.value);
  await notifyAll();
  assert.equal(await describe(), 3);
  assert.deepEqual(
    [...new Set(announced.map((one) => JSON.stringify(one)))].map((one) => JSON.parse(one)),
    [
      ['acme', { type: 'automation.dead', data: { env: 'test', event: 'same', deliveries: 2 } }],
      ['acme', { type: 'automation.failed', data: { env: 'test', block: 'same', runs: 2, code: 'access_denied' } }],
      ['acme', { type: 'automation.failed', data: { env: 'test', block: 'same', runs: 2, code: 'rate_limited' } }],
    ],
  );
  await nodes[0]?.({ env: 'prod', orgCode: 'acme' }, { kind: 'event', name: 'same' }, 1);
  assert.equal(await describe(), 4);
  now += hour;
  await notifyAll();
  assert.equal(await describe(), 7);
});
