import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { compose } from './composition/compose.ts';
import { readConfig } from './config.ts';
import { systemClock as clock } from './lib/clock.ts';
import { type Intercept, interceptOpened } from './store/intercepted-store.ts';
import type { Change, OpenedStore } from './store/port.ts';
import { openStore } from './store/testing/open-store.ts';

/** A store with so many records in a workspace, as they lie there, each with an index entry. */
async function storeWith(records: number): Promise<OpenedStore> {
  const opened = await openStore({ kind: 'memory', clock });
  const scope = opened.store.scope('org#acme-main');
  const pk = 'org#acme-main;data#order';
  for (let index = 0; index < records; index++) {
    const sk = `order#${index}`;
    const target = { pk, sk };
    const changes: readonly Change[] = [
      { kind: 'put', pk, sk, value: '{}', if: 'absent' },
      { kind: 'put-index', pk: 'index#order;field#title@1', sk, target },
    ];
    await scope.commit(changes);
  }
  return opened;
}

/** The questions of a start about the stores, up to the ready line, and how much they answer. */
async function workOfStart(context: TestContext, records: number) {
  const dataDir = mkdtempSync(join(tmpdir(), 'freehold-start-'));
  context.after(() => rmSync(dataDir, { recursive: true, force: true }));
  // Stores with data and without secrets are refused.
  writeFileSync(join(dataDir, 'secrets.json'), '{}', { mode: 0o600 });
  const read = readConfig({ FREEHOLD_DATA_DIR: dataDir, FREEHOLD_DEMO: 'off' });
  assert.ok('config' in read);
  const work = { calls: 0, items: 0 };
  const noting: Intercept = async (_, call) => {
    work.calls++;
    const answer = await call();
    work.items += Array.isArray(answer) ? answer.length : 1;
    return answer;
  };
  const platform = await compose({
    config: read.config,
    clock,
    onFault: (error) => assert.fail(String(error)),
    onFatal: (error) => assert.fail(String(error)),
    openSpace: async () => interceptOpened(await storeWith(records), noting),
  });
  await platform.isEmpty();
  await platform.close();
  return work;
}

test('a start asks the stores for as much where there are many records as where there are few', async (context) => {
  // What is looked for each second is no part of a start, however long that takes.
  context.mock.timers.enable({ apis: ['setInterval'] });
  const few = await workOfStart(context, 1);
  assert.ok(few.calls > 0);
  assert.deepEqual(await workOfStart(context, 500), few);
});
