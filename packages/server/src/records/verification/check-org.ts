import {
  type ConfigSet,
  entityPartition,
  entityRows,
  type ReferenceMap,
  references as storedReferences,
  versionKey,
  withReferences,
} from '../../config/port.ts';
import { actions, apiName } from '../../schema/port.ts';
import type { Item, Key, OpenedStore, Scope, ScopeState } from '../../store/port.ts';
import { eachScope, itemWithoutHead } from '../../store/walk.ts';
import { orgScopeName, type Workspace, workspaceTable } from '../../tenancy/port.ts';
import { drift, type Findings } from './look.ts';

/**
 * That an org's configuration is whole: every live config has a body, and who looks up whom follows from them. Without a
 * body it is not known what should lie beside records: then false is returned.
 */
export async function checkOrg(scope: Scope, config: ConfigSet, findings: Findings): Promise<boolean> {
  findings.count('orgs');
  const report = (key: Key, problem: string): void => findings.add(drift(scope, 'config', key, problem));
  const missing: Key[] = [];
  for (const name of config.entityNames) missing.push(...(await missingBodies(scope, config, name)));
  for (const key of missing) report(key, 'is live, but missing');
  if (missing.length === 0 && sayOf(await derivedReferences(config)) !== sayOf(config.references))
    report(storedReferences.key(), 'does not follow from the definitions');
  const rows = await entityRows.range(scope, entityPartition, { limit: rowsMax });
  for (const row of rows) {
    if ((row.value.state === 'active') !== (config.active(row.sk) !== undefined))
      report(row, 'contradicts the live configs');
  }
  const rowless = config.entityNames.filter((name) => !rows.some(({ sk }) => sk === name));
  for (const name of rowless) report(entityRows.key(name), 'is missing');
  return missing.length === 0;
}

async function derivedReferences(config: ConfigSet): Promise<ReferenceMap> {
  let references: ReferenceMap = new Map();
  for (const name of config.entityNames)
    references = withReferences(references, { name, compiled: await config.entity(name) }, 0);
  return references;
}

async function missingBodies(scope: Scope, config: ConfigSet, name: string): Promise<readonly Key[]> {
  const versions = config.active(name)?.versions;
  const keys = actions.map((action) => versionKey(apiName(action, name), versions?.[action] ?? 0));
  const bodies = await scope.get(keys);
  return keys.filter((_, index) => bodies[index] === undefined);
}

const rowsMax = 10_000;

/** The references in a map as a text, whenever they were added. */
function sayOf(map: ReferenceMap): string {
  const lines = [...map].flatMap(([target, { by }]) => by.map((reference) => JSON.stringify([target, reference])));
  return lines.sort().join('\n');
}

/** The scope of an org, or of one of its workspaces. */
export interface ScopeOfOrg {
  readonly orgCode: string;
  readonly tenantCode: string | undefined;
  readonly scope: Scope;
  readonly state: ScopeState;
  /** An item of a scope that has lost its head. */
  readonly withoutHead: Item | undefined;
}

/** The scopes of all orgs of a data space: that of an org, and then those of its workspaces. */
export async function* scopesOfOrgs({ store, maintenance }: OpenedStore): AsyncGenerator<ScopeOfOrg> {
  for await (const head of eachScope(maintenance)) {
    const place = placeOf(head.name);
    if (place === undefined) continue;
    const withoutHead = await itemWithoutHead(maintenance, head);
    yield { ...place, scope: store.scope(head.name), state: head.state, withoutHead };
  }
}

function placeOf(scopeName: string): Pick<ScopeOfOrg, 'orgCode' | 'tenantCode'> | undefined {
  const start = orgScopeName('');
  if (!scopeName.startsWith(start)) return undefined;
  const codes = scopeName.slice(start.length);
  // No code of an org has a hyphen.
  const hyphen = codes.indexOf('-');
  if (hyphen === -1) return { orgCode: codes, tenantCode: undefined };
  return { orgCode: codes.slice(0, hyphen), tenantCode: codes.slice(hyphen + 1) };
}

/** A workspace's state in its org. Once a removed workspace's code is free again, an empty scope is left of it. */
export async function workspaceStateOf(
  { store, maintenance }: OpenedStore,
  { orgCode, tenantCode, scope }: Pick<Workspace, 'orgCode' | 'tenantCode' | 'scope'>,
): Promise<'known' | 'unknown' | 'removed'> {
  const row = await workspaceTable.read(store.scope(orgScopeName(orgCode)), tenantCode);
  const isEmpty = (await maintenance.scan(scope.name, undefined, 1)).length === 0;
  if (row === undefined) return isEmpty ? 'removed' : 'unknown';
  return row.value.state === 'removed' ? 'removed' : 'known';
}
