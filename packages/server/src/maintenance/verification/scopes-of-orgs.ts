import { itemWithoutHead } from '../../store/lost-head.ts';
import type { Item, OpenedStore, Scope, ScopeState } from '../../store/port.ts';
import { eachScope } from '../../store/walk.ts';
import { orgScopeName, type Workspace, workspaceTable } from '../../tenancy/port.ts';

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

/** What an org knows of a workspace. Once the code of a removed one is free again, an empty scope is left of it. */
export async function workspaceStateOf(
  { store, maintenance }: OpenedStore,
  { orgCode, tenantCode, scope }: Pick<Workspace, 'orgCode' | 'tenantCode' | 'scope'>,
): Promise<'known' | 'unknown' | 'removed'> {
  const row = await workspaceTable.read(store.scope(orgScopeName(orgCode)), tenantCode);
  const isEmpty = (await maintenance.scan(scope.name, undefined, 1)).length === 0;
  if (row === undefined) return isEmpty ? 'removed' : 'unknown';
  return row.value.state === 'removed' ? 'removed' : 'known';
}
