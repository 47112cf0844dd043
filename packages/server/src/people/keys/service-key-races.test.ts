/** The bound of how many keys a workspace has, while many make one at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfigReader } from '../../config/config-reader.ts';
import { createAccessEpochs } from '../../iam/policies/epochs.ts';
import { createRuntime, foundWorkspace } from '../../iam/testing/founded-workspace.ts';
import { systemClock as clock } from '../../lib/clock.ts';
import { createCursors } from '../../records/listing/cursor.ts';
import type { Store } from '../../store/port.ts';
import { openForTest, storeKinds } from '../../store/testing/open-test-store.ts';
import { orgScopeName } from '../../tenancy/workspace.ts';
import { workspaceRowKey } from '../../tenancy/workspace-directory.ts';
import { type WorkspaceHead, workspaceHeadKey } from '../../tenancy/workspace-head.ts';
import { outcomeOf } from '../../testing/record-bench.ts';
import { createServiceKeys, keysPerWorkspaceMax, type ServiceKeys } from './service-keys.ts';

const command = {
  orgCode: 'acme',
  auditContext: { at: '', actor: { kind: 'org_user', id: 'builder' }, request_id: '' },
} as const;
const body = { env: 'test', tenant_code: 'main', name: 'Sync', policies: ['vieweracl'] } as const;

async function keysOf(store: Store): Promise<ServiceKeys> {
  const { workspace, newId, founderId } = await foundWorkspace(store, clock);
  const { tenantId: id, tenantCode: code, scope } = workspace;
  const head: WorkspaceHead = { id, code, name: 'Main', founder_id: founderId, default_member_access: '' };
  await scope.commit([{ kind: 'put', ...workspaceHeadKey, value: JSON.stringify(head), if: 'absent' }]);
  const row = { id, code, name: 'Main', state: 'ready', created_at: '' };
  const put = { kind: 'put', ...workspaceRowKey(code), value: JSON.stringify(row), if: 'absent' } as const;
  await store.scope(orgScopeName('acme')).commit([put]);
  const configs = createConfigReader({ store, clock });
  const shared = { stores: { test: store, prod: store }, clock, newId, configs: { test: configs, prod: configs } };
  const runtime = createRuntime(store, { clock, newId });
  const cursors = createCursors(new Uint8Array(32));
  return createServiceKeys({ ...shared, runtime, cursors, revocations: createAccessEpochs() });
}

for (const kind of storeKinds)
  test(`D11: of 64 who make the last key that a workspace may have exactly one makes it, and a key that goes makes room for one (${kind})`, async (context) => {
    const { store } = await openForTest(context, kind, clock);
    const keys = await keysOf(store);
    const make = (many: number) =>
      Promise.all(Array.from({ length: many }, () => outcomeOf(keys.create(command, body)))).then((outcomes) =>
        outcomes.sort(),
      );
    const held = async () => (await keys.list('acme', { env: 'test', pageSize: 200, nexttoken: undefined })).items;
    for (let made = 0; made < keysPerWorkspaceMax - 1; made += 9) assert.equal(new Set(await make(9)).size, 1);
    const oneDone = [...Array.from({ length: 63 }, () => 'conflict'), 'done'];
    assert.deepEqual(await make(64), oneDone);
    assert.equal((await held()).length, keysPerWorkspaceMax);
    await keys.remove({ ...command, id: (await held())[0]?.id ?? '' });
    assert.deepEqual(await make(64), oneDone);
    assert.deepEqual(new Set((await held()).map(({ state }) => state)), new Set(['ready']));
    assert.equal((await held()).length, keysPerWorkspaceMax);
  });
