import type { accessApi } from '@freehold/contract/management/access';
import type { QueryOf, ReplyOf } from '@freehold/contract/route';
import { foldAscii } from '../../access/port.ts';
import { emailKey } from '../../lib/formats/email-key.ts';
import { type Cursors, type RecordData, systemData } from '../../records/port.ts';
import { fieldIndex, systemEntity } from '../../schema/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { findWorkspace } from '../founding/find-workspace.ts';
import { memberOf } from '../members/member-of.ts';
import { rememberingReader } from '../policies/held-policies.ts';
import { groupRow, memberRow, policyRow, showGroup, showPolicy } from './access-rows.ts';
import { type FirstAccess, type FirstAccessDeps, firstAccess } from './first-access.ts';
import { type HoldersPage, type HoldersQuery, listHolders, personName } from './holders.ts';

/** The policies and groups of a workspace, with how many members each concerns. Reads no record of the app. */
export interface AccessOverview {
  /** By name. @throws Problem `not_found` for a workspace that is not there, `invalid_cursor`. */
  policies(orgCode: string, query: NamedQuery): Promise<PoliciesPage>;
  /** By name. @throws Problem as `policies`. */
  groups(orgCode: string, query: NamedQuery): Promise<GroupsPage>;
  /** @throws Problem `not_found`. */
  policy(orgCode: string, query: OneQuery): Promise<ReplyOf<typeof accessApi.readWorkspacePolicy>>;
  /** @throws Problem `not_found`. */
  group(orgCode: string, query: OneQuery): Promise<ReplyOf<typeof accessApi.readWorkspaceGroup>>;
  /** By email. @throws Problem as `policies`. */
  members(orgCode: string, query: NamedQuery): Promise<MembersPage>;
  /** @throws Problem `not_found`. */
  member(orgCode: string, query: OneQuery): Promise<MembersPage['items'][number]>;
  /** The members who hold a policy directly or are in a group. @throws Problem as `policies`. */
  holders(orgCode: string, query: HoldersQuery): Promise<HoldersPage>;
  /** Of all workspaces. */
  first(orgCode: string): Promise<FirstAccess>;
}

export interface OverviewDeps extends FirstAccessDeps {
  readonly cursors: Cursors;
}

type NamedQuery = QueryOf<typeof accessApi.listWorkspacePolicies>;
type PoliciesPage = ReplyOf<typeof accessApi.listWorkspacePolicies>;
type MembersPage = ReplyOf<typeof accessApi.listMembers>;
type OneQuery = QueryOf<typeof accessApi.readMember> & { readonly id: string };
type GroupsPage = ReplyOf<typeof accessApi.listWorkspaceGroups>;

/** How many names one page looks through, when a part of a name is searched. */
const lookedAtMax = 200;
const pageBytesMax = 1024 * 1024;

export function createAccessOverview(deps: OverviewDeps): AccessOverview {
  const workspaceOf = (orgCode: string, { env, tenant_code: tenantCode }: NamedQuery | OneQuery | HoldersQuery) =>
    findWorkspace(deps.stores, { env, orgCode, tenantCode });
  return {
    policies: async (orgCode, query) => {
      const workspace = await workspaceOf(orgCode, query);
      return namedPage(deps, { workspace, of: byName('aclpolicy'), query }, (data) => policyRow(workspace, data));
    },
    groups: async (orgCode, query) => {
      const workspace = await workspaceOf(orgCode, query);
      return namedPage(deps, { workspace, of: byName('group'), query }, (data) => groupRow(workspace, data));
    },
    policy: async (orgCode, query) => showPolicy(await workspaceOf(orgCode, query), query.id),
    group: async (orgCode, query) => showGroup(await workspaceOf(orgCode, query), query.id),
    members: async (orgCode, query) => {
      const workspace = await workspaceOf(orgCode, query);
      const read = rememberingReader();
      return namedPage(deps, { workspace, of: membersByEmail, query }, (data) => memberRow(workspace, data, read));
    },
    member: async (orgCode, query) => {
      const workspace = await workspaceOf(orgCode, query);
      return memberRow(workspace, await memberOf(workspace, query.id));
    },
    holders: async (orgCode, query) => listHolders(deps.cursors, await workspaceOf(orgCode, query), query),
    first: (orgCode) => firstAccess(deps, orgCode),
  };
}

/** Records of a system entity, in the order of one of its fields. */
interface Listed {
  readonly entity: 'aclpolicy' | 'group' | 'user';
  readonly field: string;
  /** What a search looks through. */
  readonly textOf: (data: RecordData) => string;
}

const byName = (entity: 'aclpolicy' | 'group'): Listed => ({
  entity,
  field: 'name',
  textOf: ({ name }) => String(name),
});

const membersByEmail: Listed = {
  entity: 'user',
  field: 'email',
  textOf: (data) => `${data.email}\n${emailKey(String(data.email))}\n${personName(data)}`,
};

interface NamedList {
  readonly workspace: Workspace;
  readonly of: Listed;
  readonly query: NamedQuery;
}

async function namedPage<Row>(
  { cursors }: OverviewDeps,
  { workspace, of: { entity, field, textOf }, query }: NamedList,
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
