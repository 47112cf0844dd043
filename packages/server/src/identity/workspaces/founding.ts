import { auditEntry } from '../../audit/audit-entry.ts';
import type { ConfigReader } from '../../config/port.ts';
import { configHeadKey, fenceFloor, settingOf } from '../../config/port.ts';
import {
  foundingChanges,
  type GrantParts,
  type Member,
  personAsking,
  platformPolicies,
  type WorkspaceTemplates,
  workspaceTemplates,
} from '../../iam/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { type Change, Conflict, type Scope, type Store } from '../../store/port.ts';
import { type Environment, orgScopeName, type WorkspaceRow, workspaceRowKey } from '../../tenancy/port.ts';
import { defaultMemberAccess } from '../settings/plain-settings.ts';
import { tryCommit } from './commits.ts';
import { chooseChange, hintChange } from './membership-hints.ts';
import { type OrgPlace, openWorkspace, type WorkspaceHead, workspaceHeadKey } from './workspace-head.ts';

/** @throws Problem where workspaces of an org may not be founded with so many policies. */
export type FoundingGate = (place: OrgPlace, tenantCode: string, policies: number) => Promise<void>;

export interface FoundingParts extends GrantParts {
  readonly foundingGate?: FoundingGate | undefined;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly stores: Readonly<Record<Environment, Store>>;
}

/**
 * The org's row of a workspace. While it is `founding` it is an intent: it says all that has to be known to make the
 * workspace, so that whoever meets it can complete what another run has begun.
 */
export interface FoundingRow extends WorkspaceRow {
  readonly founder: Member;
  /** The configuration that the org had then: nobody writes in the workspace by an older one. */
  readonly config_version: number;
  readonly default_member_access: string;
  /** Absent once the workspace has them. */
  readonly templates?: WorkspaceTemplates;
  /** The request that took the code, for the audit log: whoever completes the founding, it asked. Goes with the templates. */
  readonly request_id?: string;
}

export interface Intent {
  readonly row: FoundingRow;
  readonly version: number;
}

export async function findIntent(orgScope: Scope, code: string): Promise<Intent | undefined> {
  const [item] = await orgScope.get([workspaceRowKey(code)]);
  return item === undefined ? undefined : { row: JSON.parse(item.value) as FoundingRow, version: item.version };
}

/**
 * Takes a code for a new workspace, which its founder's next token is for from the same commit on. Undefined where it is
 * taken. @throws Problem what the gate refuses: then nothing of the workspace is there.
 */
export async function takeCode(
  parts: FoundingParts,
  { env, orgCode, requestId = '' }: OrgPlace,
  wanted: { readonly code: string; readonly name: string; readonly founder: Member },
): Promise<Intent | undefined> {
  const orgScope = parts.stores[env].scope(orgScopeName(orgCode));
  for (;;) {
    const [head] = await orgScope.get([configHeadKey]);
    const config = await parts.configs[env].current(orgCode);
    const templates = settingOf(config, env, workspaceTemplates);
    // What the platform itself gives every workspace is always there.
    if (templates.policies.length > 0)
      await parts.foundingGate?.({ env, orgCode }, wanted.code, platformPolicies.length + templates.policies.length);
    const row: FoundingRow = {
      id: parts.newId(),
      ...wanted,
      state: 'founding',
      created_at: timestamp(parts.clock.now()),
      config_version: head?.version ?? 0,
      default_member_access: settingOf(config, env, defaultMemberAccess),
      templates,
      request_id: requestId,
    };
    const take: Change = { kind: 'put', ...workspaceRowKey(row.code), value: JSON.stringify(row), if: 'absent' };
    const standing = head === undefined ? 'absent' : { version: head.version };
    const unchanged: Change = { kind: 'check', ...configHeadKey, if: standing };
    try {
      const told = [hintChange(wanted.founder.id, row), chooseChange(wanted.founder.id, row)];
      const created = {
        action: 'workspace.created',
        target: { kind: 'workspace', id: row.id },
        env,
        tenant_code: row.code,
      };
      const audited = auditEntry({ at: row.created_at, ...personAsking(wanted.founder.id, requestId) }, created);
      const { seq } = await orgScope.commit([take, unchanged, ...told, audited]);
      return { row, version: seq };
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      if (error.changeIndex === 0) return undefined;
    }
  }
}

/**
 * Grants first, then visibility: the row becomes ready once everything is in the workspace's own scope. May run any
 * number of times at once: a conflict means that another run has made the same step.
 */
export async function completeFounding(parts: FoundingParts, place: OrgPlace, { row, version }: Intent): Promise<void> {
  const { templates, request_id, ...known } = row;
  const { id, code, name, founder, default_member_access } = row;
  const workspace = openWorkspace(parts, place, row);
  const head: WorkspaceHead = { id, code, name, founder_id: founder.id, default_member_access };
  const asking = personAsking(founder.id, request_id);
  const grants = await foundingChanges(parts, workspace, { founder, templates, asking });
  await tryCommit(workspace.scope, [
    { kind: 'put', ...workspaceHeadKey, value: JSON.stringify(head), if: 'absent' },
    fenceFloor(row.config_version, id),
    ...grants,
  ]);
  const ready: FoundingRow = { ...known, state: 'ready' };
  await tryCommit(parts.stores[place.env].scope(orgScopeName(place.orgCode)), [
    { kind: 'put', ...workspaceRowKey(code), value: JSON.stringify(ready), if: { version } },
  ]);
}
