/** A configuration that is never read again because of its age. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Intercept, interceptStore } from '../store/intercepted-store.ts';
import { OutcomeUnknown } from '../store/port.ts';
import { openStore } from '../store/testing/open-store.ts';
import { RecordBench, SteppedClock } from '../testing/record-bench.ts';
import { ConfigInvalidations, createConfigReader } from './config-reader.ts';

/** An org whose builder works through the watched store, and a reader of it. */
async function orgWithInvalidations(intercept: Intercept = (_operation, call) => call()) {
  const clock = new SteppedClock();
  const opened = await openStore({ kind: 'memory', clock });
  const invalidations = new ConfigInvalidations();
  const store = interceptStore(interceptStore(opened.store, intercept), (operation, call) =>
    invalidations.track(operation, call),
  );
  const { admin } = new RecordBench({ ...opened, store }, clock).node();
  let reads = 0;
  const counted = interceptStore(opened.store, (_operation, call) => {
    reads += 1;
    return call();
  });
  const reader = createConfigReader({
    store: counted,
    clock,
    changesOf: (scope) => invalidations.at(scope),
    isInvalidated: true,
  });
  return {
    clock,
    reader,
    reads: () => reads,
    define: (entityName: string) => admin.define('acme', { entityName, UpdateParams: [{ name: 'title' }] }),
    names: async () => (await reader.current('acme')).entityNames,
  };
}

test('a configuration that nothing has changed is read once, however long it is used', async () => {
  const org = await orgWithInvalidations();
  await org.define('order');
  assert.deepEqual(await org.names(), ['order']);
  const before = org.reads();
  for (let hour = 0; hour < 5; hour++) {
    org.clock.advance(3_600_000);
    assert.deepEqual(await org.names(), ['order']);
  }
  assert.equal(org.reads(), before);
  await org.define('other');
  assert.deepEqual((await org.names()).toSorted(), ['order', 'other']);
});

test('a reader that has read while a change was under way reads again once it is answered', async () => {
  const held = Promise.withResolvers<void>();
  let isHeld = false;
  const org = await orgWithInvalidations(async ({ name }, call) => {
    const isCommit = name === 'commit' && isHeld;
    if (isCommit) await held.promise;
    return call();
  });
  await org.define('order');
  assert.deepEqual(await org.names(), ['order']);
  isHeld = true;
  const defining = org.define('other');
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(await org.names(), ['order']);
  held.resolve();
  await defining;
  assert.deepEqual((await org.names()).toSorted(), ['order', 'other']);
});

test('after a change whose outcome is unknown the configuration is read for each call', async () => {
  let isCut = false;
  const org = await orgWithInvalidations(async ({ name }, call) => {
    const answer = await call();
    if (name === 'commit' && isCut) throw new OutcomeUnknown('cut');
    return answer;
  });
  await org.define('order');
  assert.deepEqual(await org.names(), ['order']);
  isCut = true;
  await assert.rejects(org.define('other'));
  for (let call = 0; call < 2; call++) {
    const before = org.reads();
    assert.deepEqual((await org.names()).toSorted(), ['order', 'other']);
    assert.ok(org.reads() > before);
  }
});
