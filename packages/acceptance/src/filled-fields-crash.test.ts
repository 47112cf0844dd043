import assert from 'node:assert/strict';
import { test } from 'node:test';
import { creating, together } from './batches.ts';
import { change, cost, fields, hours, settled, status } from './filled-fields.ts';
import { defineEntity, definition, foundedOrg, list } from './org.ts';
import { startPlatform, temporaryDirectory } from './platform.ts';

test('a fill goes on after kill -9, and leaves no record out', async () => {
  const dataDir = temporaryDirectory();
  const first = await startPlatform({ dataDir });
  const { org, founder } = await foundedOrg(first);
  await defineEntity(org, definition('entry', fields));
  for (let from = 0; from < 200; from += 100) {
    const minutes = Array.from({ length: 100 }, (_, index) => from + index);
    await together(
      founder,
      minutes.map((one) => creating('entry', { minutes: one })),
    );
  }
  await change(org, [status, hours, cost]);
  await first.kill();
  const second = await startPlatform({ dataDir });
  try {
    const [again, user] = [
      { ...org, ...second },
      { ...founder, org: { ...org, ...second } },
    ];
    assert.deepEqual(await settled(again), []);
    const { items } = await list(user, 'entry', '?sortby=hours&sortdir=asc&pagesize=200');
    assert.deepEqual(
      items.map((item) => [item.status, item.hours, item.cost]),
      Array.from({ length: 200 }, (_, minutes) => ['open', minutes / 60, 2 * minutes]),
    );
  } finally {
    await second.kill();
  }
});
