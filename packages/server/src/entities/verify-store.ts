/**
 * Derives again what follows from the records of a store, and compares it with what is stored. Nobody may write
 * meanwhile, and nothing is changed.
 */
import type { Clock } from '../lib/clock.ts';
import type { OpenedStore, ScopeHead } from '../store/port.ts';
import { createConfigReader } from './config-reader.ts';
import type { ConfigSet } from './config-set.ts';
import { entitiesBeingRemoved } from './purge-entity.ts';
import type { Sealer } from './sealed-values.ts';
import { systemEntities } from './system-entities.ts';
import { checkOrg } from './verification/check-org.ts';
import { checkWorkspace } from './verification/check-workspace.ts';
import { Findings } from './verification/findings.ts';
import { createOwners, type FurtherEntries, type KeptEntity, keptEntity } from './verification/kept-entity.ts';
import { drift } from './verification/look.ts';
import { Tallies } from './verification/tallies.ts';
import { orgScopeName, type Workspace } from './workspace.ts';
import { type WorkspaceRow, workspaceRowKey } from './workspace-directory.ts';

export interface VerifyParts {
  readonly opened: OpenedStore;
  readonly clock: Clock;
  readonly sealer: Pick<Sealer, 'open'>;
  readonly further: FurtherEntries;
}

/** Looks at every org and every workspace of a data space. */
export async function verifyStore(parts: VerifyParts): Promise<Findings> {
  const { store, maintenance } = parts.opened;
  const configs = createConfigReader({ store, clock: parts.clock });
  const findings = new Findings();
  // The scope of an org comes before those of its workspaces.
  const broken = new Set<string>();
  let heads: readonly ScopeHead[] = [];
  do {
    heads = await maintenance.scopes(heads.at(-1)?.name, scopesPerRead);
    for (const { name, state } of heads) {
      const place = placeOf(name);
      if (place === undefined) continue;
      const { orgCode, tenantCode } = place;
      const scope = store.scope(name);
      const config = await configs.current(orgCode);
      if (tenantCode === undefined) {
        if (!(await checkOrg(scope, config, findings))) broken.add(orgCode);
      } else if (state === 'closed' || broken.has(orgCode)) findings.count('skipped');
      else await verifyKnown(parts, { workspace: { orgCode, tenantCode, scope }, config, findings });
    }
  } while (heads.length > 0);
  return findings;
}

const scopesPerRead = 100;

/** Of a removed workspace nothing has to hold; once its code is free again an empty scope is left. */
async function verifyKnown(parts: VerifyParts, check: WorkspaceCheck): Promise<void> {
  const { store, maintenance } = parts.opened;
  const { orgCode, tenantCode, scope } = check.workspace;
  const key = workspaceRowKey(tenantCode);
  const [row] = await store.scope(orgScopeName(orgCode)).get([key]);
  const isEmpty = (await maintenance.scan(scope.name, undefined, 1)).length === 0;
  const isRemoved = row === undefined ? isEmpty : (JSON.parse(row.value) as WorkspaceRow).state === 'removed';
  if (isRemoved) return check.findings.count('skipped');
  if (row === undefined) check.findings.add(drift(scope, 'config', key, 'is missing: the org does not know of this'));
  await verifyWorkspace(parts, check);
}

/** The org, and perhaps the workspace, whose scope has this name. */
function placeOf(scopeName: string): { readonly orgCode: string; readonly tenantCode: string | undefined } | undefined {
  const start = orgScopeName('');
  if (!scopeName.startsWith(start)) return undefined;
  const codes = scopeName.slice(start.length);
  // No code of an org has a hyphen.
  const hyphen = codes.indexOf('-');
  if (hyphen === -1) return { orgCode: codes, tenantCode: undefined };
  return { orgCode: codes.slice(0, hyphen), tenantCode: codes.slice(hyphen + 1) };
}

export interface WorkspaceCheck {
  readonly workspace: Pick<Workspace, 'orgCode' | 'tenantCode' | 'scope'>;
  readonly config: ConfigSet;
  readonly findings: Findings;
}

/** Looks at one workspace. */
export async function verifyWorkspace(parts: VerifyParts, check: WorkspaceCheck): Promise<void> {
  const entities = await keptEntities(parts, check);
  const ownerOf = createOwners([...entities.values()]);
  const look = { ...check, entities, ownerOf, sealer: parts.sealer, tallies: new Tallies() };
  await checkWorkspace(parts.opened.maintenance, look);
}

async function keptEntities(
  { opened, further }: VerifyParts,
  { workspace, config }: WorkspaceCheck,
): Promise<ReadonlyMap<string, KeptEntity>> {
  const kept = new Map<string, KeptEntity>();
  for (const name of [...systemEntities.keys(), ...config.entityNames]) {
    const entity = await config.entity(name);
    if (entity !== undefined) kept.set(name, keptEntity(entity, config.active(name)?.state, further));
  }
  for (const entity of await entitiesBeingRemoved(opened.store.scope(orgScopeName(workspace.orgCode))))
    kept.set(entity.name, keptEntity(entity, undefined, further));
  return kept;
}
