/** The changes that applying the template of an org makes to one of its workspaces. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Statement } from '../../access/port.ts';
import type { RecordData } from '../../records/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { type WorkspaceTemplates, widenedGroup, widenedPolicy } from '../founding/describe-templates.ts';
import { policyIdsOf, readPolicies } from '../policies/held-policies.ts';
import {
  type ComparedItem,
  compareTemplate,
  contentDigest,
  statementsOf,
  type TemplateComparison,
} from './compare-template.ts';

type TemplateStep = 'none' | 'create' | 'replace' | 'keep';

export interface PlannedItem extends ComparedItem {
  readonly step: TemplateStep;
  /** The rights that it gives members beyond their present ones, a sentence each. */
  readonly widens: readonly string[];
  /** Of what is there and what comes in its place, if anything is done. */
  readonly digest: string | undefined;
  /** Of a policy its statements, of a group the names of its policies. */
  readonly before: unknown;
  readonly after: unknown;
}

export interface TemplatePlan extends Pick<TemplateComparison, 'mark' | 'policyIds'> {
  readonly items: readonly PlannedItem[];
}

/**
 * Records that the template made and the workspace has not changed give way to those of the present template; records
 * that the workspace itself has changed or removed stay, and so does what may be its own.
 * @param replacesLocal whether that is replaced and made again too.
 */
export async function planTemplate(
  workspace: Workspace,
  templates: WorkspaceTemplates,
  { replacesLocal }: { readonly replacesLocal: boolean },
): Promise<TemplatePlan> {
  const { mark, policyIds, items } = await compareTemplate(workspace, templates);
  const planned: PlannedItem[] = [];
  const there = new Set(policyIds.keys());
  for (const item of items) {
    const step = stepOf(item, replacesLocal);
    if (item.kind === 'policy' && step === 'create') there.add(item.name);
    planned.push(
      item.kind === 'policy'
        ? plannedPolicy(item, step, templates)
        : await plannedGroup(workspace, { item, step, wanted: wantedOf(item, templates, there) }),
    );
    // To compare two policies may take long, and others want to be served too.
    if (step === 'create' || step === 'replace') await nextTurn();
  }
  return { mark, policyIds, items: planned };
}

function stepOf({ state, isLocal }: ComparedItem, replacesLocal: boolean): TemplateStep {
  if (state === 'same') return 'none';
  if (isLocal && !replacesLocal) return 'keep';
  return state === 'missing' ? 'create' : 'replace';
}

function isDone(step: TemplateStep): boolean {
  return step === 'create' || step === 'replace';
}

function plannedPolicy(item: ComparedItem, step: TemplateStep, { policies }: WorkspaceTemplates): PlannedItem {
  const { name, stored } = item;
  const statements = policies.find((one) => one.name === name)?.statements ?? [];
  const before = stored === undefined ? undefined : statementsOf(stored);
  const content = { step, before: before ?? null, after: statements };
  if (!isDone(step)) return { ...item, ...content, widens: [], digest: undefined };
  const was = stored === undefined ? undefined : { name, statements: readableStatements(before) };
  const widens = widenedPolicy(was, { name, statements }, 'the workspace');
  return { ...item, ...content, widens, digest: digestOf(item, content) };
}

/** The policies that a group is to have, without those that the workspace has removed and that stay so. */
function wantedOf(
  { name }: ComparedItem,
  { groups }: WorkspaceTemplates,
  there: ReadonlySet<string>,
): readonly string[] {
  const policies = groups.find((one) => one.name === name)?.acl_policies ?? [];
  return policies.filter((policy) => there.has(policy)).sort();
}

interface WantedGroup {
  readonly item: ComparedItem;
  readonly step: TemplateStep;
  readonly wanted: readonly string[];
}

async function plannedGroup(
  workspace: Workspace,
  { item, step: wanted, wanted: after }: WantedGroup,
): Promise<PlannedItem> {
  const { name, stored } = item;
  const held = await policiesOf(workspace, stored);
  const before = stored === undefined ? null : held.map((policy) => policy.name).sort();
  const step = wanted === 'replace' && isDeepStrictEqual(before, after) ? 'keep' : wanted;
  const content = { step, before, after };
  if (!isDone(step)) return { ...item, ...content, widens: [], digest: undefined };
  const was = before === null ? undefined : { name, acl_policies: before };
  const widens = widenedGroup({ policies: held }, was, { name, acl_policies: after }, 'the workspace');
  return { ...item, ...content, widens, digest: digestOf(item, content) };
}

interface NamedPolicy {
  readonly name: string;
  readonly statements: readonly Statement[];
}

async function policiesOf(workspace: Workspace, group: RecordData | undefined): Promise<readonly NamedPolicy[]> {
  const policies = await readPolicies(workspace, [...new Set(policyIdsOf(group))]);
  return policies.map(({ policyName, statements }) => ({
    name: policyName,
    statements: readableStatements(statements),
  }));
}

/** Statements that cannot be read allow nothing, and whatever comes in their place is wider. */
function readableStatements(statements: unknown): readonly Statement[] {
  return Array.isArray(statements) ? (statements as readonly Statement[]) : [];
}

function digestOf(
  { kind, name }: ComparedItem,
  { step, before, after }: Pick<PlannedItem, 'step' | 'before' | 'after'>,
): string {
  return contentDigest([kind, name, step, before, after]);
}
