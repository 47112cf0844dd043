/** An org whose workspace is founded and removed as the platform does it. Only tests may use it. */
import assert from 'node:assert/strict';
import { isOfAudit } from '../../audit/audit-entry.ts';
import { createConfigReader } from '../../config/config-reader.ts';
import { systemConfig } from '../../config/config-set.ts';
import { createAccessEpochs } from '../../iam/policies/epochs.ts';
import type { Clock } from '../../lib/clock.ts';
import { uuidv7Source } from '../../lib/ids.ts';
import type { OpenedStore } from '../../store/port.ts';
import { orgScopeName, workspaceScopeName } from '../../tenancy/workspace.ts';
import { openWorkspace } from '../../tenancy/workspace-head.ts';
import { completeFounding, type MembershipDeps, takeCode } from '../founding.ts';
import { removeWorkspace, type WorkspaceRemovalWork } from '../workspace-removal.ts';

export const place = { env: 'test', orgCode: 'acme' } as const;
export const ann = { id: '018bcfe5-6800-7000-8000-0000000000aa', email: 'ann@acme.example', fn: '', ln: '' };

export async function orgWithTeam(opened: OpenedStore, clock: Clock, code = 'team') {
  const { store, maintenance } = opened;
  const configs = createConfigReader({ store, clock });
  const both = <T>(one: T) => ({ test: one, prod: one });
  const deps: MembershipDeps = { clock, newId: uuidv7Source(clock), stores: both(store), configs: both(configs) };
  const orgScope = store.scope(orgScopeName('acme'));
  const scope = store.scope(workspaceScopeName('acme', code));
  const found = () => takeCode(deps, place, { code, name: 'Team', founder: ann });
  const foundWhole = async () => {
    const intent = await found();
    assert.ok(intent !== undefined);
    await completeFounding(deps, place, intent);
    return { id: intent.row.id, code };
  };
  const tenant = await foundWhole();
  const removeOn = (on: MembershipDeps) => {
    const workspace = openWorkspace(on, place, tenant);
    const context = { workspace, config: systemConfig, actor: { userId: ann.id, claims: {} } };
    return removeWorkspace({ ...on, epochs: createAccessEpochs(), wake: () => undefined }, context, { code });
  };
  const work: WorkspaceRemovalWork = { orgCode: 'acme', ...tenant };
  return {
    deps,
    orgScope,
    scope,
    tenant,
    found,
    foundWhole,
    work,
    space: { store, maintenance, clock, forgetRuns: async () => undefined },
    remove: () => removeOn(deps),
    /** Beside the audit log, which stays. */
    stored: async () => (await maintenance.scan(scope.name, undefined, 1000)).filter((item) => !isOfAudit(item)).length,
  };
}
