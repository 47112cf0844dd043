import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from './eventually.ts';
import { act, defineEntity, definition, foundedOrg, manage, type Org } from './org.ts';
import { type Platform, verifyToEnd } from './platform.ts';
import { platformOf } from './platform-for-tests.ts';

const fields = [
  { name: 'title', colType: 'string', index: true },
  { name: 'nr', colType: 'autoincrement' },
  { name: 'secret', colType: 'encrypted' },
  { name: 'before', colType: 'guid', lookup: { entity: 'order', onDelete: 'setnull' } },
];

/** Definitions that take turns, so that indexes are always being built and erased. */
const changes = [
  { UpdateParams: [{ name: 'title', colType: 'string', search: true }, ...fields.slice(1)] },
  { UpdateParams: fields, UniqueIndexes: [{ indexName: 'title', fields: ['title'] }] },
  { UpdateParams: fields, UniqueIndexes: null },
];

test('nothing has drifted after kill -9 amid writes, removals and changes of the definition', async (t) => {
  const platform = await platformOf(t);
  const { org, founder } = await foundedOrg(platform);
  await defineEntity(org, definition('order', fields));
  let written = 0;
  const write = async (writer: number): Promise<void> => {
    let last: string | undefined;
    for (let turn = 0; ; turn++) {
      const body = { title: `t${writer};${turn}`, secret: `${turn}`, ...(last === undefined ? {} : { before: last }) };
      const made = await act<{ id: string }>(founder, 'POST', '/create/order', { body });
      if (made.status === 201 && turn % 5 === 4) await act(founder, 'DELETE', `/delete/order/${last}`);
      if (made.status === 201) last = made.body.id;
      written += 1;
    }
  };
  const untilGone = async (work: Promise<void>): Promise<void> => {
    await work.catch((error: unknown) => {
      if (!(error instanceof TypeError)) throw error;
    });
  };
  const actors = [...[0, 1, 2, 3].map(write), redefine(org)].map(untilGone);
  while (written < 250) await act(founder, 'GET', '/count/order');
  await platform.kill();
  await Promise.all(actors);
  const crashed = await verifyToEnd(platform.dataDir);
  assert.deepEqual([crashed.code, crashed.stderr], [0, ''], crashed.stdout);
  assert.match(crashed.stdout, /^test: 1 orgs, 1 workspaces .* records, .*\n/);
  await assertSoundOnceSettled(await platformOf(t, { dataDir: platform.dataDir }), org);
});

async function redefine(org: Org): Promise<void> {
  for (let turn = 0; ; turn++)
    await manage(org, 'PUT', '/api/create-order?force=true', { body: changes[turn % changes.length] });
}

/** What the crash interrupted is gone on with at the next start. */
async function assertSoundOnceSettled(platform: Platform, before: Org): Promise<void> {
  const org: Org = { ...before, app: platform.app, management: platform.management };
  const isSettled = async (): Promise<boolean> => {
    const { body } = await manage<{ indexes: readonly { state: string }[] }>(
      org,
      'GET',
      '/api/entity?entityName=order',
    );
    return body.indexes.every(({ state }) => state !== 'building');
  };
  await eventually('the end of building indexes', isSettled);
  await platform.terminate();
  const { code, stdout } = await verifyToEnd(platform.dataDir);
  assert.equal(code, 0, stdout);
}
