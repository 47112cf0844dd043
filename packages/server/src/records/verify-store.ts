/**
 * Derives again what follows from the records of a store, and compares it with the stored items. There must be no
 * writes meanwhile, and nothing is changed.
 */

import { type ConfigSet, createConfigReader } from '../config/port.ts';
import type { Clock } from '../lib/clock.ts';
import type { Key, OpenedStore, Scope } from '../store/port.ts';
import { type Workspace, workspaceTable } from '../tenancy/port.ts';
import { AggregateComparison } from './aggregates/kept/check-kept.ts';
import { checkOrg, scopesOfOrgs, workspaceStateOf } from './verification/check-org.ts';
import { checkWorkspace } from './verification/check-workspace.ts';
import { createOwners, type FurtherEntries, keptEntities } from './verification/indexed-entity.ts';
import { drift, Findings, Tallies, unopenedProblem } from './verification/look.ts';
import type { Sealer } from './writing/sealed-values.ts';

export interface VerifyDeps {
  readonly opened: OpenedStore;
  readonly clock: Clock;
  readonly sealer: Pick<Sealer, 'open'>;
  readonly further: FurtherEntries;
  /** Sealed values in the scope of an org, which belong to no record, and which `sealer` does not open. */
  readonly unopened?: (scope: Scope, sealer: Pick<Sealer, 'open'>) => Promise<readonly Key[]>;
}

export async function verifyStore(deps: VerifyDeps): Promise<Findings> {
  const configs = createConfigReader({ store: deps.opened.store, clock: deps.clock });
  const findings = new Findings();
  // The scope of an org comes before those of its workspaces.
  const broken = new Set<string>();
  for await (const { orgCode, tenantCode, scope, state, withoutHead } of scopesOfOrgs(deps.opened)) {
    if (withoutHead !== undefined)
      findings.add(drift(scope, 'head', withoutHead, 'exists, but the head row of its scope is missing'));
    const config = await configs.current(orgCode);
    if (tenantCode === undefined) {
      if (!(await checkOrg(scope, config, findings))) broken.add(orgCode);
      for (const key of (await deps.unopened?.(scope, deps.sealer)) ?? [])
        findings.add(drift(scope, 'sealed', key, unopenedProblem));
    } else if (state === 'closed' || broken.has(orgCode)) findings.count('skipped');
    else await verifyKnown(deps, { workspace: { orgCode, tenantCode, scope }, config, findings });
  }
  return findings;
}

/** Of a removed workspace nothing has to hold; once its code is free again an empty scope is left. */
async function verifyKnown(deps: VerifyDeps, check: WorkspaceCheck): Promise<void> {
  const { tenantCode, scope } = check.workspace;
  const state = await workspaceStateOf(deps.opened, check.workspace);
  if (state === 'removed') return check.findings.count('skipped');
  if (state === 'unknown')
    check.findings.add(
      drift(scope, 'config', workspaceTable.key(tenantCode), 'is missing: the org has no row for this workspace'),
    );
  await verifyWorkspace(deps, check);
}

interface WorkspaceCheck {
  readonly workspace: Pick<Workspace, 'orgCode' | 'tenantCode' | 'scope'>;
  readonly config: ConfigSet;
  readonly findings: Findings;
}

export async function verifyWorkspace(deps: VerifyDeps, check: WorkspaceCheck): Promise<void> {
  const entities = await keptEntities(deps.opened.store, { ...check, further: deps.further });
  const ownerOf = createOwners([...entities.values()]);
  const look = {
    ...check,
    entities,
    ownerOf,
    sealer: deps.sealer,
    tallies: new Tallies(),
    aggregates: new AggregateComparison(),
  };
  await checkWorkspace(deps.opened.maintenance, look);
}
