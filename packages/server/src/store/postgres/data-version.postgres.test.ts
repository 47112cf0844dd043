/** Which nodes may work on the data of a database while its version is raised, and after. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../lib/clock.ts';
import { dataVersion } from '../data-version.ts';
import { type OpenedStore, Unavailable } from '../port.ts';
import { getOne, put } from '../testing/conformance/bench.ts';
import { openPostgres } from './open-postgres.ts';
import { startTestServer, type TestServer, whyNot } from './testing/test-server.ts';

describe('the version of data on PostgreSQL', { skip: whyNot }, () => {
  let server: TestServer;
  let spaces = 0;
  const space = () => `version_${process.pid}_${spaces}`;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());

  /** Other tests may have sessions on the server too. */
  const name = `version_${process.pid}`;
  const open = (options: Partial<Parameters<typeof openPostgres>[0]> = {}) => {
    const url = `${server.url}${server.url.includes('?') ? '&' : '?'}application_name=${name}`;
    return openPostgres({ url, space: space(), clock: systemClock, ...options });
  };
  const write = ({ store }: OpenedStore, sk: string) => store.scope('s').commit([put('p', sk)]);
  const endSessions = () =>
    server.run(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = '${name}'`);

  test('is that of the release in a new store, and is found again', async () => {
    spaces++;
    const first = await open();
    assert.equal(await first.maintenance.dataVersion(), dataVersion);
    await first.store.close();
    const alone = await open({ hold: 'alone' });
    await alone.maintenance.setDataVersion(-dataVersion);
    await write(alone, 'a');
    assert.equal(await alone.maintenance.dataVersion(), -dataVersion);
    await alone.store.close();
    const second = await open();
    assert.equal(await second.maintenance.dataVersion(), -dataVersion);
    assert.notEqual(await getOne(second.store.scope('s'), 'p', 'a'), undefined);
    await second.store.close();
  });

  test('is not raised while a node is at work, and no node works while it is raised', async () => {
    spaces++;
    const node = await open();
    await write(node, 'a');
    await assert.rejects(open({ hold: 'alone' }), /other nodes use it: stop all nodes/);
    await write(node, 'b');
    await node.store.close();
    const alone = await open({ hold: 'alone' });
    const late = await open();
    await assert.rejects(write(late, 'c'), Unavailable);
    await assert.rejects(getOne(late.store.scope('s'), 'p', 'a'), Unavailable);
    await assert.rejects(open({ hold: 'alone' }), /other nodes use it/);
    await alone.store.close();
    await write(late, 'd');
    await late.store.close();
  });

  test('ends a node that was cut off while another release raised it, before the node reads or writes', async () => {
    spaces++;
    const notified: string[] = [];
    const node = await open({ onFatal: ({ message }) => notified.push(message) });
    await write(node, 'a');
    await endSessions();
    const alone = await open({ hold: 'alone' });
    await alone.maintenance.setDataVersion(-dataVersion);
    await alone.store.close();
    await assert.rejects(write(node, 'b'), Unavailable);
    await assert.rejects(getOne(node.store.scope('s'), 'p', 'a'), Unavailable);
    assert.ok(
      notified.length > 0 && notified.every((one) => one.includes(`migrated to version ${-dataVersion} meanwhile`)),
    );
    await node.store.close();
    const rows = await server.run(`select sk from "freehold_${space()}".items`);
    assert.deepEqual(rows, [{ sk: 'a' }]);
  });

  test('is not raised further by a node that lost the data in between', async () => {
    spaces++;
    const first = await open({ hold: 'alone' });
    await write(first, 'a');
    await endSessions();
    const second = await open({ hold: 'alone' });
    await assert.rejects(write(first, 'b'), Unavailable);
    await second.maintenance.setDataVersion(-dataVersion);
    await second.store.close();
    await assert.rejects(write(first, 'c'), /.*/);
    await assert.rejects(first.maintenance.setDataVersion(1));
    await first.store.close();
  });
});
