import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { systemClock } from '../../../lib/clock.ts';
import { Unavailable } from '../../port.ts';
import { getOne, put } from '../../testing/conformance/bench.ts';
import { askServer } from '../ask-server.ts';
import { openPostgres } from '../open-postgres.ts';
import { eventually } from '../testing/eventually.ts';
import { startOwnServer, whyNotOwn } from '../testing/test-server.ts';

test('an address with several hosts leads to the one that takes writes, also when another takes its place', {
  skip: whyNotOwn,
}, async (t) => {
  const primary = await startOwnServer();
  t.after(() => primary.stop());
  const standby = await primary.standby();
  t.after(() => standby.stop());
  const { username, password, host } = new URL(primary.url);
  const other = new URL(standby.url).host;
  const addressOf = (hosts: string) =>
    `postgres://${username}:${password}@${hosts}/postgres?target_session_attrs=read-write`;
  const url = addressOf(`${other},${host}`);
  assert.equal((await askServer(url, [])).isStandby, false);
  const { store } = await openPostgres({ url, space: 'places', clock: systemClock });
  t.after(() => store.close());
  const scope = store.scope('s');
  await scope.commit([put('p', 'before')]);
  const receivedAll = `select pg_last_wal_receive_lsn() >= '${await writtenTo(primary)}' as is_there`;
  await eventually('the standby', async () => (await standby.run(receivedAll))[0]?.is_there === true);
  await primary.kill();
  await assert.rejects(scope.commit([put('p', 'between')]), (error) => {
    assert.ok(error instanceof Unavailable);
    assert.ok(!inspect(error).includes(password));
    return true;
  });
  await standby.run('select pg_promote()');
  assert.ok((await getOne(scope, 'p', 'before')) !== undefined);
  await scope.commit([put('p', 'after')]);
  assert.equal((await store.health()).ok, true);
  // As a failover does that fences the former primary.
  appendFileSync(join(primary.data, 'postgresql.auto.conf'), 'default_transaction_read_only = on\n');
  await primary.start();
  const second = await openPostgres({ url: addressOf(`${host},${other}`), space: 'places', clock: systemClock });
  t.after(() => second.store.close());
  assert.ok((await getOne(second.store.scope('s'), 'p', 'after')) !== undefined);
  await second.store.scope('s').commit([put('p', 'second')]);
});

async function writtenTo({ run }: { readonly run: (sql: string) => Promise<readonly Record<string, unknown>[]> }) {
  return String((await run('select pg_current_wal_lsn() as at'))[0]?.at);
}
