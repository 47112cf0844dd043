import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { copyStores } from '../copy-store.ts';
import type { Maintenance } from '../port.ts';
import { sqliteSubject } from '../sqlite/testing/temporary-store.ts';
import { TestClock } from '../testing/conformance/bench.ts';
import { contentsArbitrary, everythingOf, filled } from '../testing/conformance/store-contents.ts';
import { openMemory } from '../testing/open-memory.ts';
import { postgresSubject } from './testing/postgres-subject.ts';
import { startTestServer, type TestServer, whyNot } from './testing/test-server.ts';

describe('a copy between SQLite and PostgreSQL', { skip: whyNot }, () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());
  const postgres = postgresSubject(() => server);
  const clock = new TestClock();

  /** Copies, and is cut off first, as a killed process would be. */
  async function copyTwice(from: Maintenance, to: Maintenance, loads: number): Promise<void> {
    let left = loads;
    const dying: Maintenance = {
      ...to,
      async load(head, items) {
        if (left-- <= 0) throw new Error('cut off');
        await to.load(head, items);
      },
    };
    await copyStores([{ space: 'test', from, to: dying }]).catch(() => {});
    await copyStores([{ space: 'test', from, to }]);
  }

  test('there and back, holds the same items, heads and dues', async () => {
    const property = fc.asyncProperty(contentsArbitrary, fc.nat({ max: 12 }), async (contents, loads) => {
      const memory = await filled(openMemory({ clock }), contents);
      const opened = [await sqliteSubject.open(clock), await postgres.open(clock), await sqliteSubject.open(clock)];
      try {
        const expected = await everythingOf(memory);
        let from = memory;
        for (const { opened: target } of opened) {
          await copyTwice(from, target.maintenance, loads);
          assert.deepEqual(await everythingOf(target.maintenance), expected);
          from = target.maintenance;
        }
      } finally {
        for (const subject of opened) await subject.dispose();
      }
    });
    await fc.assert(property, { numRuns: 8 });
  });
});
