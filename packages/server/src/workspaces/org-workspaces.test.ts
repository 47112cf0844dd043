import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfigReader } from '../config/config-reader.ts';
import { createAccessEpochs } from '../iam/port.ts';
import { systemClock } from '../lib/clock.ts';
import { uuidv7Source } from '../lib/ids.ts';
import { createCursors } from '../records/port.ts';
import { openStore } from '../store/testing/open-store.ts';
import { orgScopeName, type WorkspaceRow, workspaceScopeName, workspaceTable } from '../tenancy/port.ts';
import { workspaceHeads } from '../tenancy/workspace-head.ts';
import { createOrgWorkspaces } from './org-workspaces.ts';

const created_at = '2026-11-21T00:00:00Z';

async function bench(states: Readonly<Record<string, WorkspaceRow['state']>>) {
  const { store } = await openStore({ kind: 'memory', clock: systemClock });
  const rows = Object.entries(states).map(([code, state]) =>
    workspaceTable.insert(code, { id: code, code, name: `Name of ${code}`, state, created_at }),
  );
  await store.scope(orgScopeName('acme')).commit(rows);
  const cursors = createCursors(new Uint8Array(32));
  const config = createConfigReader({ store, clock: systemClock });
  const workspaces = createOrgWorkspaces({
    ...{ clock: systemClock, newId: uuidv7Source(systemClock), configs: { test: config, prod: config } },
    ...{ stores: { test: store, prod: store }, cursors, epochs: createAccessEpochs() },
    wake: () => undefined,
    workspaceResumed: async () => undefined,
  });
  const scopeOf = (code: string) => store.scope(workspaceScopeName('acme', code));
  const page = (nexttoken?: string) =>
    workspaces.list('acme', { env: 'test', prefix: undefined, state: undefined, pageSize: 2, nexttoken });
  return { workspaces, scopeOf, page };
}

test('a workspace that is being founded is shown by the name that its founder gave', async () => {
  const { workspaces } = await bench({ alpha: 'founding' });
  assert.deepEqual(await workspaces.show('acme', 'test', 'alpha'), {
    id: 'alpha',
    code: 'alpha',
    name: 'Name of alpha',
    state: 'founding',
    suspended: null,
    created_at,
    members: 0,
    records: 0,
    default_member_access: null,
    by_entity: {},
  });
});

test('pages taken to the end hold each workspace once, and none that is removed', async () => {
  const { page, scopeOf } = await bench({
    a: 'ready',
    b: 'removed',
    c: 'removed',
    d: 'ready',
    e: 'ready',
    f: 'removed',
  });
  const head = { id: 'a', code: 'a', name: 'Renamed', founder_id: '', default_member_access: 'vieweracl' };
  await scopeOf('a').commit([workspaceHeads.insert(undefined, head)]);
  const pages = [await page()];
  for (let last = pages[0]; last !== undefined && last.nexttoken !== null; last = pages.at(-1))
    pages.push(await page(last.nexttoken));
  assert.deepEqual(
    pages.map(({ items }) => items.map(({ name }) => name)),
    [['Renamed'], ['Name of d'], ['Name of e']],
  );
});

test('a count that is damaged is reported and not left out', async () => {
  const { workspaces, page, scopeOf } = await bench({ alpha: 'ready' });
  await scopeOf('alpha').commit([{ kind: 'put', pk: 'count', sk: 'order', value: 'many', if: 'any' }]);
  const damaged = { code: 'unavailable' };
  await assert.rejects(workspaces.show('acme', 'test', 'alpha'), damaged);
  await assert.rejects(page(), damaged);
});
