import { type AuditCaller, auditEntry, platformActor } from '../audit/audit-entry.ts';
import { type ConfigReader, configHeadKey, settingOf } from '../config/port.ts';
import {
  auditCallerOf,
  type FoundingMember,
  foundingChanges,
  type GrantDeps,
  platformPolicies,
  type WorkspaceTemplates,
  workspaceTemplates,
} from '../iam/port.ts';
import { timestamp } from '../lib/clock.ts';
import { defaultMemberAccess } from '../people/port.ts';
import { minConfigVersion } from '../records/port.ts';
import type { Change, Scope, Store } from '../store/port.ts';
import { asRead, json, table } from '../store/table.ts';
import { type CommitPlan, transact, tryCommit } from '../store/transact.ts';
import {
  type Environment,
  type OrgContext,
  openWorkspace,
  orgScopeName,
  type WorkspaceHead,
  type WorkspaceRow,
  workspaceHeads,
  workspaceRowKey,
} from '../tenancy/port.ts';
import { chooseChange, hintChange } from './membership-hints.ts';

/** @throws Problem where workspaces of an org may not be founded with so many policies. */
export type FoundingGate = (context: OrgContext, tenantCode: string, policies: number) => Promise<void>;

export interface MembershipDeps extends GrantDeps {
  readonly foundingGate?: FoundingGate | undefined;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly stores: Readonly<Record<Environment, Store>>;
}

/**
 * The org's row of a workspace. While it is `founding` it is an intent: it says all that has to be known to make the
 * workspace, so that any process that reads it can complete what another run has begun.
 */
export interface FoundingRow extends WorkspaceRow {
  /** Absent where the platform or a builder has founded it: then its first admin comes later, or never. */
  readonly founder?: FoundingMember | undefined;
  /** The org user who has founded it without a founder; absent where the platform has. */
  readonly made_by?: string | undefined;
  /** The configuration that the org had then: no write in the workspace uses an older one. */
  readonly config_version: number;
  readonly default_member_access: string;
  /** Absent once the workspace has them. */
  readonly templates?: WorkspaceTemplates;
  /**
   * The request that took the code, for the audit log: it is recorded as the cause, whichever request completes the
   * founding. Goes with the templates.
   */
  readonly request_id?: string;
}

export interface Intent {
  readonly row: FoundingRow;
  readonly version: number;
}

/** By code. */
const foundingRows = table(
  workspaceRowKey,
  json<FoundingRow>('workspace row', { id: 'string', code: 'string', state: 'string' }),
);

export async function findIntent(orgScope: Scope, code: string): Promise<Intent | undefined> {
  const found = await foundingRows.read(orgScope, code);
  return found === undefined ? undefined : { row: found.value, version: found.version };
}

export interface WantedWorkspace {
  readonly name: string;
  readonly founder?: FoundingMember | undefined;
  readonly made_by?: string | undefined;
}

/**
 * Takes a code for a new workspace, which its founder's next token is for from the same commit on. Without a founder it is a
 * builder's or the platform's. Undefined where it is taken. @throws Problem what the gate refuses: then nothing of the workspace is there.
 */
export async function takeCode(
  deps: MembershipDeps,
  { env, orgCode, requestId = '' }: OrgContext,
  wanted: { readonly code: string } & WantedWorkspace,
): Promise<Intent | undefined> {
  const orgScope = deps.stores[env].scope(orgScopeName(orgCode));
  const { founder } = wanted;
  let isTaken = false;
  const plan = async (): Promise<CommitPlan & { readonly row?: FoundingRow }> => {
    if (isTaken) return { changes: [] };
    const [head] = await orgScope.get([configHeadKey]);
    const config = await deps.configs[env].current(orgCode);
    const templates = settingOf(config, env, workspaceTemplates);
    // The policies that the platform itself gives every workspace are always there.
    if (templates.policies.length > 0)
      await deps.foundingGate?.({ env, orgCode }, wanted.code, platformPolicies.length + templates.policies.length);
    const row: FoundingRow = {
      id: deps.newId(),
      ...wanted,
      state: 'founding',
      created_at: timestamp(deps.clock.now()),
      config_version: head?.version ?? 0,
      default_member_access: settingOf(config, env, defaultMemberAccess),
      templates,
      request_id: requestId,
    };
    const target = { kind: 'workspace', id: row.id };
    const created = { action: 'workspace.created', target, env, tenant_code: row.code };
    const changes: readonly Change[] = [
      foundingRows.insert(row.code, row),
      { kind: 'check', ...configHeadKey, if: asRead(head) },
      ...(founder === undefined ? [] : [hintChange(founder.id, row), chooseChange(founder.id, row)]),
      auditEntry({ at: row.created_at, ...founderAsCaller(row, requestId) }, created),
    ];
    const refused = (change: number): void => {
      isTaken = change === 0;
    };
    return { row, changes, refused };
  };
  const { planned, committed } = await transact(orgScope, plan, { attemptsMax: Number.POSITIVE_INFINITY });
  const { row } = planned;
  return row === undefined || committed === undefined ? undefined : { row, version: committed.seq };
}

function founderAsCaller({ founder, made_by }: Pick<FoundingRow, 'founder' | 'made_by'>, requestId = ''): AuditCaller {
  if (founder !== undefined) return auditCallerOf(founder.id, requestId);
  const actor = made_by === undefined ? platformActor : ({ kind: 'org_user', id: made_by } as const);
  return { actor, request_id: requestId };
}

/**
 * Grants first, then visibility: the row becomes ready once everything is in the workspace's own scope. May run any
 * number of times at once: a conflict means that another run has made the same step.
 */
export async function completeFounding(
  deps: MembershipDeps,
  context: OrgContext,
  { row, version }: Intent,
): Promise<void> {
  const { templates, request_id, ...known } = row;
  const { id, code, name, founder, default_member_access } = row;
  const workspace = openWorkspace(deps, context, row);
  const founded = founder === undefined ? {} : { founder_id: founder.id };
  const head: WorkspaceHead = { id, code, name, ...founded, default_member_access };
  const auditCaller = founderAsCaller(row, request_id);
  const grants = await foundingChanges(deps, workspace, { founder, templates, auditCaller });
  await tryCommit(workspace.scope, [
    workspaceHeads.insert(undefined, head),
    minConfigVersion(row.config_version, id),
    ...grants,
  ]);
  const ready: FoundingRow = { ...known, state: 'ready' };
  await tryCommit(deps.stores[context.env].scope(orgScopeName(context.orgCode)), [
    foundingRows.put(code, ready, { if: { version } }),
  ]);
}
