import type { accessApi } from '@freehold/contract/management/access';
import type { QueryOf, ReplyOf } from '@freehold/contract/route';
import { Problem } from '../../lib/problem.ts';
import { type Cursors, findRecord, type RecordData, type StoredRecord, systemData } from '../../records/port.ts';
import { systemEntity } from '../../schema/port.ts';
import type { Item } from '../../store/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { countLinks, groupLink, linksTo, policyLink } from '../members/links.ts';
import {
  adminGroup,
  countGroupsWith,
  groupsWith,
  holdingsOf,
  platformPolicies,
  policyIdsOf,
  type RecordReader,
  readPolicies,
  readRecords,
} from '../policies/held-policies.ts';

/** Counts end here: more would be read for a figure that says no more. */
const countedMax = 1000;
const groupsNamed = 20;

type ShownPolicy = ReplyOf<typeof accessApi.readWorkspacePolicy>;
type ShownGroup = ReplyOf<typeof accessApi.readWorkspaceGroup>;

/** A policy with its statements. @throws Problem `not_found`. */
export async function showPolicy(workspace: Workspace, id: string): Promise<ShownPolicy> {
  const { data, version } = await recordOf(workspace, 'aclpolicy', id);
  return {
    ...(await policyRow(workspace, data)),
    version,
    statements: Array.isArray(data.statements) ? data.statements : [],
    held_by: (await groupsWith(workspace.scope, id, groupsNamed)).map(nameOf),
  };
}

/** A group with its policies. @throws Problem `not_found`. */
export async function showGroup(workspace: Workspace, id: string): Promise<ShownGroup> {
  const { data, version } = await recordOf(workspace, 'group', id);
  const { policy_names: _, ...row } = await groupRow(workspace, data);
  const policies = await readRecords(workspace, 'aclpolicy', policyIdsOf(data));
  return { ...row, version, policies: policies.map(nameOf) };
}

async function recordOf(workspace: Workspace, entity: 'aclpolicy' | 'group', id: string): Promise<StoredRecord> {
  const found = await findRecord({ workspace, entity: systemEntity(entity) }, id);
  if (found === undefined) throw new Problem('not_found', `there is no \`${entity}\` with this id in the workspace`);
  return found;
}

function nameOf(item: Item): { readonly id: string; readonly name: string } {
  const { id, name } = systemData(item);
  return { id, name: String(name) };
}

export async function policyRow({ scope }: Workspace, { id, name, statements, updated_at }: RecordData) {
  return {
    id,
    name: String(name),
    statements: Array.isArray(statements) ? statements.length : 0,
    members: await countLinks(scope, policyLink, { id, atMost: countedMax }),
    groups: await countGroupsWith(scope, { id, atMost: countedMax }),
    is_of_platform: platformPolicies.includes(String(name)),
    updated_at,
  };
}

/** The number of a group's policies that are named: a group may hold 50, each of 10 KB. */
const policiesNamed = 3;

export async function groupRow(workspace: Workspace, data: RecordData) {
  const { id, name, updated_at } = data;
  const policyIds = policyIdsOf(data);
  const named = await readRecords(workspace, 'aclpolicy', policyIds.slice(0, policiesNamed));
  return {
    id,
    name: String(name),
    members: await countLinks(workspace.scope, groupLink, { id, atMost: countedMax }),
    policies: policyIds.length,
    policy_names: named.map((policy) => String(systemData(policy).name)),
    is_of_platform: name === adminGroup,
    updated_at,
  };
}

export async function memberRow(workspace: Workspace, data: RecordData, read?: RecordReader) {
  const { id, email, role, status } = data;
  const { policyIds, groups } = await holdingsOf(workspace, id, read);
  const policies = await readPolicies(workspace, policyIds, read);
  return {
    user_id: id,
    email: String(email),
    name: personName(data),
    role: String(role ?? ''),
    status: String(status ?? ''),
    policies: policies.map(({ policyId, policyName }) => ({ id: policyId, name: policyName })),
    groups: groups.map(nameOf),
  };
}

export type HoldersQuery = QueryOf<typeof accessApi.listHolders>;
type HoldersPage = ReplyOf<typeof accessApi.listHolders>;

/** A page of the members behind a policy or group, in the order of their links' ids. */
export async function listHolders(
  cursors: Cursors,
  workspace: Workspace,
  { env, policy_id, group_id, pagesize, nexttoken }: HoldersQuery,
): Promise<HoldersPage> {
  const kind = policy_id === undefined ? groupLink : policyLink;
  const id = policy_id ?? group_id ?? '';
  const binding = ['acl-holders', env, workspace.scope.name, kind.entity, id];
  const after = nexttoken === undefined ? {} : { after: cursors.open(nexttoken, binding) };
  const links = await linksTo(workspace.scope, kind, { id, limit: pagesize + 1, ...after });
  const shown = links.slice(0, pagesize);
  const linkOf = new Map(shown.map(({ item }) => [String(systemData(item).user_id), systemData(item).id]));
  const members = await readRecords(workspace, 'user', [...linkOf.keys()]);
  const items = members.map((member) => {
    const data = systemData(member);
    const { id: user_id, email, status } = data;
    const link_id = linkOf.get(user_id) ?? '';
    return { link_id, user_id, email: String(email), name: personName(data), status: String(status ?? '') };
  });
  const last = links.length > pagesize ? shown.at(-1) : undefined;
  return { items, nexttoken: last === undefined ? null : cursors.seal(last.sk, binding) };
}

/** First and last name; empty if the person has neither. */
export function personName({ fn, ln }: RecordData): string {
  return [fn, ln].filter((part) => typeof part === 'string' && part !== '').join(' ');
}
