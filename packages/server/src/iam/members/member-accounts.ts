/** The outcome of memberships when the account behind them can no longer be signed in to, and when two become one. */
import type { AuditCaller } from '../../audit/audit-entry.ts';
import { timestamp } from '../../lib/clock.ts';
import {
  directPartition,
  mergeChanges,
  type PlannedChange,
  type RecordData,
  recordChanges,
  removeRecords,
  type StoredRecord,
  systemData,
  unconditional,
} from '../../records/port.ts';
import { systemEntity } from '../../schema/port.ts';
import type { Change, Item } from '../../store/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { auditEntriesOfWrite } from '../audited-changes.ts';
import { type GrantDeps, type NewRecord, newRecords } from '../founding/founding.ts';
import { moveEpoch } from '../policies/epochs.ts';
import { adminPolicy, heldPolicies, recordKey } from '../policies/held-policies.ts';
import { keepAnAdmin } from '../rules/last-admin.ts';
import { groupLink, linksOf, linksPerUserMax, policyLink, removeLinks } from './links.ts';
import { type FoundingMember, findMember, isServicePrincipal, removedMemberKey, suspendedPassword } from './member.ts';

/** Whose memberships they are, and who asks. */
export interface AccountChange {
  readonly workspace: Workspace;
  readonly userId: string;
  readonly auditCaller: AuditCaller;
}

/** Shows in the member's record whether the account can be signed in to; nothing where it shows so already. */
export async function statusChanges(
  deps: GrantDeps,
  { workspace, userId, auditCaller }: AccountChange,
  isSuspended: boolean,
): Promise<readonly Change[]> {
  const epoch = await moveEpoch(workspace.scope);
  const before = await findMember(workspace, userId);
  const [from, to] = isSuspended ? ['active', suspendedPassword] : [suspendedPassword, 'active'];
  if (before?.data.status !== from) return [];
  return commitOf([epoch, ...(await statusChange(deps, { workspace, userId, auditCaller }, { before, status: to }))]);
}

async function statusChange(
  { clock }: GrantDeps,
  { workspace, auditCaller }: AccountChange,
  { before, status }: { readonly before: StoredRecord; readonly status: string },
): Promise<readonly PlannedChange[]> {
  const stamps = { updated_at: timestamp(clock.now()), updated_by: auditCaller.actor.id };
  const data: RecordData = { ...before.data, status, ...stamps };
  const write = {
    workspace,
    actor: { userId: auditCaller.actor.id, claims: {}, auditCaller },
    before: before.data,
    after: data,
  };
  return [
    ...(await recordChanges(workspace.scope, systemEntity('user'), { before, after: { key: before.key, data } })),
    ...auditEntriesOfWrite(clock, 'user', write),
  ];
}

/**
 * Takes out a member who holds nothing but what every new member gets, so that it can be had again at any time.
 * Undefined if the member was granted more.
 */
export async function replacedMember(
  deps: GrantDeps,
  { workspace, userId, auditCaller }: AccountChange,
  defaultPolicyIds: readonly string[],
): Promise<readonly Change[] | undefined> {
  const epoch = await moveEpoch(workspace.scope);
  const member = await findMember(workspace, userId);
  if (member === undefined) return [];
  const { policyLinks, groupLinks } = await linksOf(workspace.scope, userId);
  const isDefault = (link: Item): boolean => defaultPolicyIds.includes(fieldOf(link, policyLink.by));
  const hasRole = member.data.role !== undefined && member.data.role !== null && member.data.role !== '';
  if (hasRole || groupLinks.length > 0 || !policyLinks.every(isDefault)) return undefined;
  return commitOf([epoch, ...(await removal(deps, { workspace, userId, auditCaller }, member))]);
}

/** @throws Problem `last_admin` if no other member who can sign in is an admin. */
export async function removalChanges(deps: GrantDeps, change: AccountChange): Promise<readonly Change[]> {
  const epoch = await moveEpoch(change.workspace.scope);
  const member = await findMember(change.workspace, change.userId);
  if (member === undefined) return [];
  await keepAnAdminBeside(change);
  return commitOf([epoch, ...(await removal(deps, change, member))]);
}

async function keepAnAdminBeside({ workspace, userId }: AccountChange): Promise<void> {
  const held = await heldPolicies(workspace, userId);
  const admin = held.find(({ policyName }) => policyName === adminPolicy);
  if (admin !== undefined) await keepAnAdmin(workspace, admin.policyId, { kind: 'user', id: userId });
}

/**
 * Takes out a member who is erased, also the last one of a workspace, with the mark of one who was removed before.
 * @param unreferred holds the commit to no record referring to the member any more.
 * @throws Problem `last_admin` if others stay, and none of them who can sign in is an admin.
 */
export async function erasedMember(
  deps: GrantDeps,
  change: AccountChange,
  unreferred: readonly Change[],
): Promise<readonly Change[]> {
  const { workspace, userId } = change;
  const mark = removedMemberKey(userId);
  const epoch = await moveEpoch(workspace.scope);
  const member = await findMember(workspace, userId);
  const unmarked: Change = { kind: 'remove', ...mark, if: 'any' };
  if (member === undefined) return (await workspace.scope.get([mark]))[0] === undefined ? [] : [unmarked];
  if (await hasOthers(change)) await keepAnAdminBeside(change);
  return [...commitOf([epoch, ...(await removal(deps, change, member)), unconditional(unmarked)]), ...unreferred];
}

/** A workspace has fewer service keys than are looked past. */
const membersReadMax = 200;

async function hasOthers({ workspace, userId }: AccountChange): Promise<boolean> {
  const entity = systemEntity('user');
  const members = await workspace.scope.range(directPartition(entity, workspace), { limit: membersReadMax });
  const isOther = (data: RecordData): boolean => data.id !== userId && !isServicePrincipal(data);
  return members.length === membersReadMax || members.map(systemData).some(isOther);
}

async function removal(
  { clock }: GrantDeps,
  { workspace, userId, auditCaller }: AccountChange,
  member: StoredRecord,
): Promise<readonly PlannedChange[]> {
  const { policyLinks, groupLinks } = await linksOf(workspace.scope, userId);
  const actor = { userId: auditCaller.actor.id, claims: {}, auditCaller };
  return [
    ...(await removeRecords(workspace.scope, systemEntity('user'), [member])),
    ...(await removeLinks(workspace.scope, policyLink, policyLinks)),
    ...(await removeLinks(workspace.scope, groupLink, groupLinks)),
    ...auditEntriesOfWrite(clock, 'user', { workspace, actor, before: member.data }),
  ];
}

/**
 * Gives one account of a person what another one holds in the workspace, and takes the other one out. Rights that an
 * admin took from either stay taken: a suspension, and a removal from a workspace that would let the person join again.
 * Each keeps its own where both hold too much for one account.
 */
export async function mergedMember(
  deps: GrantDeps,
  { workspace, userId: from, auditCaller }: AccountChange,
  into: FoundingMember,
): Promise<readonly Change[]> {
  const { scope } = workspace;
  const epoch = await moveEpoch(scope);
  const [member, other] = [await findMember(workspace, from), await findMember(workspace, into.id)];
  if (member === undefined) {
    const [removed] = await scope.get([removedMemberKey(from)]);
    if (removed === undefined || other !== undefined) return [];
    return [epoch.change, { kind: 'put', ...removedMemberKey(into.id), value: '{}', if: 'any' }];
  }
  const links = await missingLinks(deps, workspace, { from, into: into.id });
  if (links === undefined) return [];
  const change = { workspace, userId: from, auditCaller };
  const actor = { userId: auditCaller.actor.id, claims: {}, auditCaller };
  const status = mergedStatus(member.data.status, other?.data.status);
  const { role, fn, ln, picture } = member.data;
  const profile = Object.fromEntries(Object.entries({ role, fn, ln, picture }).filter(([, value]) => value != null));
  const user: readonly NewRecord[] =
    other === undefined ? [{ entity: 'user', id: into.id, body: { email: into.email, ...profile, status } }] : [];
  const made = await newRecords(deps, { workspace, actor }, [...user, ...links]);
  const shown =
    other === undefined || other.data.status === status
      ? []
      : await statusChange(deps, change, { before: other, status });
  return commitOf([
    epoch,
    ...(await removal(deps, change, member)),
    ...made.map(unconditional),
    ...shown,
    unconditional({ kind: 'remove', ...removedMemberKey(into.id), if: 'any' }),
  ]);
}

function mergedStatus(from: unknown, into: unknown): string {
  const isSuspended = [from, into].some(
    (status) => status !== undefined && status !== 'active' && status !== suspendedPassword,
  );
  return isSuspended ? 'suspended' : 'active';
}

/** Undefined where one person would have more links than are read. */
async function missingLinks(
  { newId }: GrantDeps,
  { scope }: Workspace,
  { from, into }: { readonly from: string; readonly into: string },
): Promise<readonly NewRecord[] | undefined> {
  const [given, held] = [await linksOf(scope, from), await linksOf(scope, into)];
  const copies = (kind: typeof policyLink, links: readonly Item[], known: readonly Item[]): readonly NewRecord[] => {
    const ids = new Set(known.map((link) => fieldOf(link, kind.by)));
    const missing = links.map((link) => fieldOf(link, kind.by)).filter((id) => !ids.has(id));
    return missing.map((id) => ({ entity: kind.entity, id: newId(), body: { user_id: into, [kind.by]: id } }));
  };
  const policies = copies(policyLink, given.policyLinks, held.policyLinks);
  const groups = copies(groupLink, given.groupLinks, held.groupLinks);
  const isTooMuch =
    policies.length + held.policyLinks.length > linksPerUserMax ||
    groups.length + held.groupLinks.length > linksPerUserMax;
  return isTooMuch ? undefined : [...policies, ...groups];
}

/**
 * Gives a member one more policy. Undefined where the member has it by a link of its own, is suspended, or has no room for it. The
 * epoch stays, as where a person joins: the commit is held to the policy.
 */
export async function policyGrant(
  deps: GrantDeps,
  { workspace, userId, auditCaller }: AccountChange,
  policyId: string,
): Promise<readonly Change[] | undefined> {
  const { policyLinks } = await linksOf(workspace.scope, userId);
  const member = await findMember(workspace, userId);
  const isHeld = policyLinks.some((link) => fieldOf(link, policyLink.by) === policyId);
  if (member?.data.status !== 'active' || isHeld || policyLinks.length >= linksPerUserMax) return undefined;
  const actor = { userId: auditCaller.actor.id, claims: {}, auditCaller };
  const body = { user_id: userId, [policyLink.by]: policyId };
  return [
    { kind: 'check', ...recordKey(workspace, 'aclpolicy', policyId), if: 'present' },
    ...(await newRecords(deps, { workspace, actor }, [{ entity: policyLink.entity, id: deps.newId(), body }])),
  ];
}

function fieldOf(item: Item, name: string): string {
  return String(systemData(item)[name]);
}

/** Changes that were planned apart, as one commit. */
export function joinedChanges(...changes: readonly (readonly Change[])[]): readonly Change[] {
  return commitOf(changes.flat().map(unconditional));
}

function commitOf(planned: readonly PlannedChange[]): readonly Change[] {
  return mergeChanges(planned).map(({ change }) => change);
}
