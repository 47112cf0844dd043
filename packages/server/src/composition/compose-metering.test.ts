/** A policy that has no room is refused while the org's plan is enforced, and no caller waits for it in vain. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfigReader } from '../config/config-reader.ts';
import { systemConfig } from '../config/config-set.ts';
import { foundWorkspace } from '../iam/testing/founded-workspace.ts';
import { uuidv7Source } from '../lib/ids.ts';
import { Problem } from '../lib/problem.ts';
import { auditContext, openNode, SteppedClock } from '../metering/testing/metered-org.ts';
import { createCursors } from '../records/listing/cursor.ts';
import { createRecordRuntime } from '../records/record-runtime.ts';
import { createFences } from '../records/writing/fence.ts';
import { createNumbering } from '../records/writing/numbering.ts';
import { createSealer } from '../records/writing/sealed-values.ts';
import { createWriteLoop } from '../records/writing/write-loop.ts';
import { systemEntity } from '../schema/system/system-entities.ts';
import { openStore } from '../store/testing/open-store.ts';

test('a caller who is refused a policy may ask for the org’s usage, also when that has to be read again', {
  timeout: 60_000,
}, async () => {
  const clock = new SteppedClock('2026-01-31T12:00:00Z');
  const { store } = await openStore({ kind: 'memory', clock });
  const here = await foundWorkspace(store, clock);
  const node = openNode(store, clock, 'one');
  await node.plans.set('acme', { name: 'own', limits: { records: 10, policies: 2 } }, auditContext);
  const configs = createConfigReader({ store, clock });
  const runtime = createRecordRuntime({
    clock,
    newId: uuidv7Source(clock),
    cursors: createCursors(Buffer.alloc(32)),
    writeLoop: createWriteLoop({ configs: { test: configs, prod: configs }, fences: createFences() }),
    rules: new Map(),
    numbering: createNumbering(),
    sealer: createSealer([]),
    gate: node.gate,
    policyBound: async () => {
      clock.advance(1100); // what was known of the org is a second old by now
      return {
        max: 2,
        exceeded: async () => {
          await node.gate.quota('acme');
          return new Problem('plan_limit_exceeded', 'there is no room');
        },
      };
    },
  });
  const call = {
    workspace: here.workspace,
    entity: systemEntity('aclpolicy'),
    actor: { userId: here.founderId, claims: {} },
    config: systemConfig,
  };
  const body = { name: 'p', statements: [{ Effect: 'Allow', Action: ['get*'], Resource: ['*'] }] };
  await assert.rejects(runtime.create(call, body), { code: 'plan_limit_exceeded' });
});
