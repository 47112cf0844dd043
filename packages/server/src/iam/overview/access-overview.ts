import { setImmediate as nextTurn } from 'node:timers/promises';
import type { accessApi } from '@freehold/contract/management/access';
import type { Overview } from '@freehold/contract/management/overview';
import type { QueryOf } from '@freehold/contract/route';
import type { Read } from '@freehold/contract/schema';
import { settingOf } from '../../config/port.ts';
import { foldAscii } from '../../lib/fold-ascii.ts';
import { emailKey } from '../../lib/formats/email-key.ts';
import { type RecordData, systemData } from '../../records/port.ts';
import { fieldIndex, systemEntity } from '../../schema/port.ts';
import type { Scope, Store } from '../../store/port.ts';
import {
  type Environment,
  findWorkspace,
  orgScopeName,
  type Workspace,
  workspaceScopeName,
  workspacesPartition,
  workspaceTable,
} from '../../tenancy/port.ts';
import { workspaceTemplates } from '../founding/templates-setting.ts';
import { isServicePrincipal, memberOf } from '../members/member.ts';
import { platformPolicies, rememberingReader } from '../policies/held-policies.ts';
import type { AccessReadDeps } from '../simulation/simulate.ts';
import {
  groupRow,
  type HoldersQuery,
  listHolders,
  memberRow,
  personName,
  policyRow,
  showGroup,
  showPolicy,
} from './access-rows.ts';

type NamedQuery = QueryOf<typeof accessApi.listWorkspacePolicies>;
type OneQuery = QueryOf<typeof accessApi.readMember> & { readonly id: string };

/** The number of names that one page looks through, when a part of a name is searched. */
const lookedAtMax = 200;
const pageBytesMax = 1024 * 1024;

export type AccessOverview = ReturnType<typeof createAccessOverview>;

/**
 * The policies, groups and members of a workspace, with how many members each concerns; pages of them by name or email.
 * Reads no record of the app. Each throws the Problem `not_found` for what is not there; a page throws `invalid_cursor`.
 */
export function createAccessOverview(deps: Omit<AccessReadDeps, 'clock'>) {
  const workspaceOf = (orgCode: string, { env, tenant_code: tenantCode }: NamedQuery | OneQuery | HoldersQuery) =>
    findWorkspace(deps.stores, { env, orgCode, tenantCode });
  return {
    policies: async (orgCode: string, query: NamedQuery) => {
      const workspace = await workspaceOf(orgCode, query);
      return namedPage(deps, { workspace, of: byName('aclpolicy'), query }, (data) => policyRow(workspace, data));
    },
    groups: async (orgCode: string, query: NamedQuery) => {
      const workspace = await workspaceOf(orgCode, query);
      return namedPage(deps, { workspace, of: byName('group'), query }, (data) => groupRow(workspace, data));
    },
    policy: async (orgCode: string, query: OneQuery) => showPolicy(await workspaceOf(orgCode, query), query.id),
    group: async (orgCode: string, query: OneQuery) => showGroup(await workspaceOf(orgCode, query), query.id),
    members: async (orgCode: string, query: NamedQuery) => {
      const workspace = await workspaceOf(orgCode, query);
      const read = rememberingReader();
      return namedPage(deps, { workspace, of: membersByEmail, query }, (data) => memberRow(workspace, data, read));
    },
    member: async (orgCode: string, query: OneQuery) => {
      const workspace = await workspaceOf(orgCode, query);
      return memberRow(workspace, await memberOf(workspace, query.id));
    },
    holders: async (orgCode: string, query: HoldersQuery) =>
      listHolders(deps.cursors, await workspaceOf(orgCode, query), query),
    first: (orgCode: string) => firstAccess(deps, orgCode),
  };
}

/** Records of a system entity, in the order of one of its fields. */
interface ListedEntity {
  readonly entity: 'aclpolicy' | 'group' | 'user';
  readonly field: string;
  /** The texts that a search looks through. */
  readonly textOf: (data: RecordData) => string;
}

const byName = (entity: 'aclpolicy' | 'group'): ListedEntity => ({
  entity,
  field: 'name',
  textOf: ({ name }) => String(name),
});

const membersByEmail: ListedEntity = {
  entity: 'user',
  field: 'email',
  textOf: (data) => `${data.email}\n${emailKey(String(data.email))}\n${personName(data)}`,
};

interface NamedHolders {
  readonly workspace: Workspace;
  readonly of: ListedEntity;
  readonly query: NamedQuery;
}

async function namedPage<Row>(
  { cursors }: Pick<AccessReadDeps, 'cursors'>,
  { workspace, of: { entity, field, textOf }, query }: NamedHolders,
  rowOf: (data: RecordData) => Promise<Row>,
): Promise<{ items: Row[]; nexttoken: string | null }> {
  const { env, q = '', pagesize, nexttoken } = query;
  const index = fieldIndex(systemEntity(entity), field);
  if (index === undefined) throw new TypeError(`${entity} has no index on its ${field}`);
  const wanted = foldAscii(q);
  const binding = ['acl-overview', entity, env, workspace.scope.name, wanted];
  const after = nexttoken === undefined ? {} : { after: cursors.open(nexttoken, binding) };
  const entries = await workspace.scope.follow(index.pk, {
    ...after,
    limit: wanted === '' ? pagesize : lookedAtMax,
    bytesMax: pageBytesMax,
  });
  const forms = [wanted, emailKey(wanted)];
  const isFound = (text: string): boolean => forms.some((form) => text.includes(form));
  const found = entries.filter((entry) => isFound(foldAscii(textOf(systemData(entry)))));
  const items: Row[] = [];
  for (const entry of found.slice(0, pagesize)) items.push(await rowOf(systemData(entry)));
  const last = found.length > pagesize ? found[pagesize - 1] : entries.at(-1);
  const isMore = last !== undefined && (await workspace.scope.count(index.pk, { after: last.sk }, 1)) > 0;
  return { items, nexttoken: isMore ? cursors.seal(last.sk, binding) : null };
}

/** The steps about access that a builder has done. */
type FirstAccess = NonNullable<Read<typeof Overview>['first_steps']>;

const environments: readonly Environment[] = ['test', 'prod'];
const workspacesMax = 10;
/** More than the platform's own, and more than two people beside a few service keys. */
const policiesMax = platformPolicies.length + 1;
const membersMax = 20;
const bytesMax = 1024 * 1024;

/** Looks at the first workspaces of both environments, and in each at a few records: the work does not grow with the org. */
async function firstAccess(deps: Pick<AccessReadDeps, 'stores' | 'configs'>, orgCode: string): Promise<FirstAccess> {
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
