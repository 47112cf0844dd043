import type { AuditCaller } from '../../audit/audit-entry.ts';
import { timestamp } from '../../lib/clock.ts';
import type { Problem } from '../../lib/problem.ts';
import { type Actor, mergeChanges, type PlannedChange, recordCounter, unconditional } from '../../records/port.ts';
import { asRead } from '../../store/table.ts';
import { type CommitPlan, transact } from '../../store/transact.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { auditEntryInWorkspace } from '../audited-changes.ts';
import type { WorkspaceTemplates } from '../founding/describe-templates.ts';
import { type GrantDeps, type NewRecord, plannedRecords } from '../founding/founding.ts';
import { type AccessEpochs, moveEpoch, thenBump } from '../policies/epochs.ts';
import { adminPolicy, policyIdsOf } from '../policies/held-policies.ts';
import { keepAnAdmin } from '../rules/last-admin.ts';
import { rewrittenRecord } from '../rules/removal.ts';
import {
  contentDigest,
  groupDigest,
  policiesDigest,
  policyDigest,
  type TemplateMark,
  type TemplateRecord,
  templateMarks,
} from './compare-template.ts';
import { type PlannedItem, planTemplate, type TemplatePlan } from './plan-template.ts';

export interface ApplyDeps extends GrantDeps {
  readonly epochs: AccessEpochs;
  /** @throws Problem where the workspace may not have so many policies. */
  readonly policyGate?: ((workspace: Workspace, policies: number) => Promise<void>) | undefined;
}

interface TemplateApplication {
  readonly templates: WorkspaceTemplates;
  readonly replacesLocal: boolean;
  /** The builder who applies it, whose id records then name. */
  readonly auditCaller: AuditCaller;
  /** The digests of what was agreed to. */
  readonly agreed: ReadonlySet<string>;
}

interface ApplicationPlan extends CommitPlan {
  readonly outcome: 'applied' | 'nothing' | 'overtaken';
}

/**
 * Applies the template in one commit of the workspace, with an audit entry for each record. It makes no other change than
 * those that were agreed to: where the workspace has changed since, nothing is done. May be repeated.
 * @throws Problem `last_admin`, `unique_violation`, `plan_limit_exceeded`, `conflict`.
 */
export async function applyTemplate(
  deps: ApplyDeps,
  workspace: Workspace,
  application: TemplateApplication,
): Promise<'applied' | 'nothing' | 'overtaken'> {
  const { scope } = workspace;
  const plan = async (): Promise<ApplicationPlan> => {
    const epoch = await moveEpoch(scope);
    const planned = await planTemplate(workspace, application.templates, application);
    const todo = planned.items.filter(({ step }) => step === 'create' || step === 'replace');
    if (!todo.every(({ digest }) => digest !== undefined && application.agreed.has(digest)))
      return { outcome: 'overtaken', changes: [] };
    const made = new Map(
      todo.filter(({ stored }) => stored === undefined).map((item) => [item, deps.newId()] as const),
    );
    const records = await recordChanges(deps, { workspace, application, planned, todo, made });
    const mark = markChanges(deps, { application, planned, made });
    const changes = todo.length === 0 ? mark : mergeChanges([epoch, ...records, ...mark]);
    return {
      outcome: todo.length === 0 ? 'nothing' : 'applied',
      changes: changes.map(({ change }) => change),
      refused: (index) => refuseFinally(changes[index]),
    };
  };
  return await thenBump(deps.epochs, scope.name, async () => {
    const { planned } = await transact(scope, plan, { priority: 'background' });
    return planned.outcome;
  });
}

function refuseFinally(planned: PlannedChange | undefined): void {
  if (planned === undefined || planned.onConflict === 'replan') return;
  const problem: Problem = planned.onConflict();
  throw problem;
}

interface Applied {
  readonly workspace: Workspace;
  readonly application: TemplateApplication;
  readonly planned: TemplatePlan;
  readonly todo: readonly PlannedItem[];
  /** The ids of new records. */
  readonly made: ReadonlyMap<PlannedItem, string>;
}

async function recordChanges(deps: ApplyDeps, applied: Applied): Promise<readonly PlannedChange[]> {
  const { workspace, application, todo, made, planned } = applied;
  const { auditCaller } = application;
  const actor: Actor = { userId: auditCaller.actor.id, claims: {}, auditCaller };
  const call = { workspace, actor };
  const ids = idsAfter(planned, made);
  const creations = [...made].map(([item, id]) => newRecord(item, id, ids));
  await assertRoom(deps, workspace, creations.filter(({ entity }) => entity === 'aclpolicy').length);
  const changes: PlannedChange[] = [...(await plannedRecords(deps, call, creations))];
  for (const item of todo) changes.push(...(await replacementOf(deps, { call, item, ids })));
  if (todo.length > 0)
    changes.push(
      unconditional(
        auditEntryInWorkspace(deps.clock, call, {
          action: 'workspace_template.applied',
          target: { kind: 'workspace', id: workspace.tenantId },
          detail: { created: creations.length, replaced: todo.length - creations.length },
        }),
      ),
    );
  return changes;
}

/** Of each policy that a group may name, as the commit leaves it. */
function idsAfter({ policyIds }: TemplatePlan, made: ReadonlyMap<PlannedItem, string>): ReadonlyMap<string, string> {
  const created = [...made].filter(([{ kind }]) => kind === 'policy').map(([{ name }, id]) => [name, id] as const);
  return new Map([...policyIds, ...created]);
}

function bodyOf(
  { kind, name, after }: PlannedItem,
  ids: ReadonlyMap<string, string>,
): Readonly<Record<string, unknown>> {
  if (kind === 'policy') return { name, statements: after };
  return { name, acl_policies: wantedIds(after, ids) };
}

function wantedIds(names: unknown, ids: ReadonlyMap<string, string>): readonly string[] {
  return Array.isArray(names) ? names.map((name) => ids.get(String(name))).filter((id) => id !== undefined) : [];
}

function newRecord(item: PlannedItem, id: string, ids: ReadonlyMap<string, string>): NewRecord {
  return { entity: item.kind === 'policy' ? 'aclpolicy' : 'group', id, body: bodyOf(item, ids) };
}

async function assertRoom({ policyGate }: ApplyDeps, workspace: Workspace, added: number): Promise<void> {
  if (policyGate === undefined || added === 0) return;
  const [counter] = await workspace.scope.get([recordCounter('aclpolicy')]);
  await policyGate(workspace, Number(counter?.value ?? 0) + added);
}

interface Replacement {
  readonly call: { readonly workspace: Workspace; readonly actor: Actor };
  readonly item: PlannedItem;
  readonly ids: ReadonlyMap<string, string>;
}

async function replacementOf(deps: ApplyDeps, { call, item, ids }: Replacement): Promise<readonly PlannedChange[]> {
  const { stored, kind } = item;
  if (stored === undefined) return [];
  const { workspace } = call;
  const entity = kind === 'policy' ? 'aclpolicy' : 'group';
  const before = policyIdsOf(stored);
  const after = kind === 'policy' ? [] : wantedIds(item.after, ids);
  const adminId = ids.get(adminPolicy);
  if (kind === 'group' && adminId !== undefined && before.includes(adminId) && !after.includes(adminId))
    await keepAnAdmin(workspace, adminId, { kind: 'group', id: stored.id });
  return rewrittenRecord(deps.clock, call, { entity, id: stored.id, body: bodyOf(item, ids) });
}

/** Says what the template has made by now. What the workspace has changed stays marked as it was made. */
function markChanges(
  { clock }: ApplyDeps,
  { application, planned, made }: Pick<Applied, 'application' | 'planned' | 'made'>,
): readonly PlannedChange[] {
  const { templates } = application;
  const { mark, items } = planned;
  const ids = idsAfter(planned, made);
  const marked = (item: PlannedItem): readonly TemplateRecord[] => {
    const { kind, name, step, stored } = item;
    const id = stored?.id ?? made.get(item);
    const known = (kind === 'policy' ? mark?.value.policies : mark?.value.groups)?.find((one) => one.name === name);
    if (id === undefined || step === 'keep') return known === undefined ? [] : [known];
    if (step === 'none' && stored !== undefined)
      return [{ name, id, digest: kind === 'policy' ? policyDigest(stored) : groupDigest(stored) }];
    const digest = kind === 'policy' ? contentDigest(item.after) : policiesDigest(wantedIds(item.after, ids));
    return [{ name, id, digest }];
  };
  const next = {
    digest: contentDigest(templates),
    policies: items.filter(({ kind }) => kind === 'policy').flatMap(marked),
    groups: items.filter(({ kind }) => kind === 'group').flatMap(marked),
  };
  if (mark !== undefined && isMarkedAs(mark.value, next)) return [];
  const at = timestamp(clock.now());
  return [{ change: templateMarks.put(undefined, { at, ...next }, { if: asRead(mark) }), onConflict: 'replan' }];
}

function isMarkedAs({ at: _, ...before }: TemplateMark, next: Omit<TemplateMark, 'at'>): boolean {
  return contentDigest(before) === contentDigest(next);
}
