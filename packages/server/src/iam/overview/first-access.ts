import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Overview } from '@freehold/contract/management/overview';
import type { Read } from '@freehold/contract/schema';
import { type ConfigReader, settingOf } from '../../config/port.ts';
import { systemData } from '../../records/port.ts';
import { fieldIndex, systemEntity } from '../../schema/port.ts';
import type { Scope, Store } from '../../store/port.ts';
import {
  type Environment,
  orgScopeName,
  workspaceScopeName,
  workspacesPartition,
  workspaceTable,
} from '../../tenancy/port.ts';
import { workspaceTemplates } from '../founding/templates-setting.ts';
import { isServicePrincipal } from '../members/service-principal.ts';
import { platformPolicies } from '../policies/policy-names.ts';

export interface FirstAccessDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
}

/** What a builder has done about access. */
export type FirstAccess = NonNullable<Read<typeof Overview>['first_steps']>;

const environments: readonly Environment[] = ['test', 'prod'];
const workspacesMax = 10;
/** More than the platform's own, and more than two people beside a few service keys. */
const policiesMax = platformPolicies.length + 1;
const membersMax = 20;
const bytesMax = 1024 * 1024;

/** Looks at the first workspaces of both environments, and in each at a few records: the work does not grow with the org. */
export async function firstAccess(deps: FirstAccessDeps, orgCode: string): Promise<FirstAccess> {
  const config = await deps.configs.test.current(orgCode);
  let policy = environments.some((env) => settingOf(config, env, workspaceTemplates).policies.length > 0);
  let member = false;
  for (const env of environments)
    for (const scope of await firstWorkspaces(deps.stores[env], orgCode)) {
      policy ||= await hasOwnPolicy(scope);
      member ||= await hasTwoPeople(scope);
      if (policy && member) return { policy, member };
      // Reads need not wait for anything, and others want to be served too.
      await nextTurn();
    }
  return { policy, member };
}

async function firstWorkspaces(store: Store, orgCode: string): Promise<readonly Scope[]> {
  const rows = await workspaceTable.range(store.scope(orgScopeName(orgCode)), workspacesPartition, {
    limit: workspacesMax,
  });
  return rows
    .filter(({ value }) => value.state === 'ready')
    .map(({ value }) => store.scope(workspaceScopeName(orgCode, value.code)));
}

/** One beside those that the platform makes. */
async function hasOwnPolicy(scope: Scope): Promise<boolean> {
  const found = await scope.follow(indexOf('aclpolicy', 'name'), { limit: policiesMax, bytesMax });
  return found.some((item) => !platformPolicies.includes(String(systemData(item).name)));
}

/** The founder and another person. A service key is a member, but no person. */
async function hasTwoPeople(scope: Scope): Promise<boolean> {
  const found = await scope.follow(indexOf('user', 'email'), { limit: membersMax, bytesMax });
  return found.filter((item) => !isServicePrincipal(systemData(item))).length > 1;
}

function indexOf(entity: 'aclpolicy' | 'user', field: string): string {
  const index = fieldIndex(systemEntity(entity), field);
  if (index === undefined) throw new TypeError(`${entity} has no index on its ${field}`);
  return index.pk;
}
