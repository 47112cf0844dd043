/** The work on an application: workspace by workspace, in commits that also say how far it is. */

import type { workspaceTemplatesApi } from '@freehold/contract/management/settings/workspace-templates';
import type { ReplyOf } from '@freehold/contract/route';
import type { AuditCaller } from '../../audit/audit-entry.ts';
import { type ApplyDeps, applyTemplate, contentDigest, planTemplate, type WorkspaceTemplates } from '../../iam/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { memberships } from '../../people/port.ts';
import { type Change, type Due, type Put, type Scope, ScopeClosed } from '../../store/port.ts';
import { json, type Row, table } from '../../store/table.ts';
import { tryCommit } from '../../store/transact.ts';
import {
  type Environment,
  openWorkspace,
  orgScopeName,
  type Workspace,
  workspacesPartition,
  workspaceTable,
} from '../../tenancy/port.ts';
import { defineJob, type JobSteps, workItem } from '../../work/job.ts';
import { type DriftDeps, readyWorkspace, templatesOf } from './workspace-drift.ts';

export type ShownApplication = ReplyOf<typeof workspaceTemplatesApi.readTemplateApplication>;
export type AppliedWorkspace = ReplyOf<typeof workspaceTemplatesApi.listAppliedWorkspaces>['items'][number];

export interface ApplicationRow
  extends Omit<ShownApplication, 'id' | 'created_by' | 'error' | 'started_at' | 'ended_at'> {
  /** The builder who asked for the preview; once started, the builder in whose name the template is applied. */
  readonly caller: AuditCaller;
  /** Those that were named; left out, all. */
  readonly codes?: readonly string[];
  /** As it was for the preview. */
  readonly templates: WorkspaceTemplates;
  /** The builder has confirmed beforehand what the preview will show, so it is started when it is there. */
  readonly starts_itself?: true;
  /** Up to which workspace the preview or the application has come. */
  readonly after?: string;
  readonly error?: string;
  readonly started_at?: string;
  readonly ended_at?: string;
}

/** The work done in a workspace. */
export interface WorkspaceStep extends Omit<AppliedWorkspace, 'code' | 'error'> {
  /** Of what was shown, so that nothing else is done. */
  readonly digests: readonly string[];
  readonly error?: string;
}

export const applicationPartition = 'template-application';

/** By id, which is in the order of time. */
export const applications = table(
  (id: string) => ({ pk: applicationPartition, sk: id }),
  json<ApplicationRow>('application of a template', { state: 'string', created_at: 'string', templates: 'object' }),
);

/** The one application of the org that is being previewed or runs. */
export const liveApplication = table(
  (_: undefined) => ({ pk: 'template-application-live', sk: 'live' }),
  json<{ readonly id: string }>('note of the application at work', { id: 'string' }),
);

export function stepsPartition(id: string): string {
  return `template-application;${id}`;
}

/** By the code of the workspace. */
export const workspaceSteps = table(
  ({ id, code }: { readonly id: string; readonly code: string }) => ({ pk: stepsPartition(id), sk: code }),
  json<WorkspaceStep>('step of an application', { state: 'string', items: 'object', digests: 'object' }),
);

const keptMilliseconds = 30 * 24 * 60 * 60 * 1000;

export function expiry(created_at: string): Due {
  return { at: Date.parse(created_at) + keptMilliseconds, queue: 'expire' };
}

const applyTemplateJob = 'apply-template';

export interface ApplicationWork {
  readonly id: string;
  readonly env: Environment;
  readonly orgCode: string;
}

export function applicationWork({ id, env, orgCode }: ApplicationWork, at: number): Put {
  return workItem(`${applyTemplateJob};${id}`, { job: applyTemplateJob, id, env, orgCode }, at);
}

export function shownApplication(id: string, row: ApplicationRow): ShownApplication {
  const {
    caller,
    codes: _,
    templates: __,
    after: ___,
    starts_itself: ____,
    error = null,
    started_at = null,
    ended_at = null,
    ...shown
  } = row;
  return { id, ...shown, created_by: caller.actor, error, started_at, ended_at };
}

export function isAtWork({ state }: Pick<ApplicationRow, 'state'>): boolean {
  return state === 'previewing' || state === 'running';
}

export interface RunApplicationDeps extends ApplyDeps, Omit<DriftDeps, 'cursors'> {
  /** Knows who is an admin of the org. */
  readonly platform: Scope;
}

interface ApplicationRun {
  readonly deps: RunApplicationDeps;
  readonly work: ApplicationWork;
  readonly scope: Scope;
}

/**
 * Goes on with an application until it is over, or its preview is there. May be ended at any step and repeated: each step is
 * held to the row that it was planned on, and a template that is applied already changes nothing.
 */
export const applicationJob = defineJob({
  name: applyTemplateJob,
  begin: (deps: RunApplicationDeps, work: ApplicationWork): JobSteps<Row<ApplicationRow>> => {
    const run = { deps, work, scope: deps.stores[work.env].scope(orgScopeName(work.orgCode)) };
    return {
      row: () => applications.read(run.scope, work.id),
      step: async (row) => {
        if (!isAtWork(row.value)) return 'over';
        await (row.value.state === 'previewing' ? previewStep(run, row) : applyStep(run, row));
        return 'more';
      },
    };
  },
});

const previewedAtOnce = 10;

async function previewStep(run: ApplicationRun, row: Row<ApplicationRow>): Promise<void> {
  const codes = await nextCodes(run, row.value);
  let next = row.value;
  const changes: Change[] = [];
  for (const code of codes) {
    const step = await previewOf(run, row.value, code);
    next = { ...next, looked: next.looked + 1, after: code };
    if (step === undefined) continue;
    next = addedUp(next, step);
    if (step.items.some(isChange) || step.state === 'failed')
      changes.push(
        workspaceSteps.put({ id: run.work.id, code }, step, { if: 'any', due: expiry(row.value.created_at) }),
      );
  }
  if (codes.length === 0 && next.starts_itself === true) {
    const { after: _, ...kept } = next;
    next = { ...kept, state: 'running', started_at: timestamp(run.deps.clock.now()) };
  } else if (codes.length === 0) {
    changes.push(liveApplication.remove(undefined, 'any'));
    next = { ...next, state: 'previewed' };
  }
  // If the row has changed, it was cancelled, or another process works on it.
  await tryCommit(run.scope, [applications.replace(row, next), ...changes], { priority: 'background' });
}

async function nextCodes({ scope }: ApplicationRun, { codes, after }: ApplicationRow): Promise<readonly string[]> {
  if (codes !== undefined) return codes.filter((code) => after === undefined || code > after).slice(0, previewedAtOnce);
  const start = after === undefined ? {} : { after };
  const rows = await workspaceTable.range(scope, workspacesPartition, { ...start, limit: previewedAtOnce });
  return rows.map(({ sk }) => sk);
}

function isChange({ step }: { readonly step: string }): boolean {
  return step === 'create' || step === 'replace';
}

function addedUp(row: ApplicationRow, { items, widens, state }: WorkspaceStep): ApplicationRow {
  const count = (step: string): number => items.filter((item) => item.step === step).length;
  const differs = items.some(isChange) || state === 'failed';
  return {
    ...row,
    differ: row.differ + Number(differs),
    creates: row.creates + count('create'),
    replaces: row.replaces + count('replace'),
    keeps: row.keeps + count('keep'),
    widening: row.widening + Number(widens.length > 0),
    failed: row.failed + Number(state === 'failed'),
  };
}

const nothing = { items: [], widens: [], digests: [] } as const;

/** Undefined for a workspace that is not ready and was not named. */
async function previewOf(
  { deps, work }: ApplicationRun,
  { templates, replace_local, all }: ApplicationRow,
  code: string,
): Promise<WorkspaceStep | undefined> {
  const found = await readyWorkspace(deps, work, code);
  if (found === undefined)
    return all ? undefined : { state: 'failed', ...nothing, error: 'there is no such workspace' };
  const workspace = openWorkspace(deps, work, found);
  const plan = await planTemplate(workspace, templates, { replacesLocal: replace_local });
  const items = plan.items.filter(({ step }) => step !== 'none');
  return {
    state: 'previewed',
    items: items.map(({ kind, name, step }) => ({ kind, name, step })),
    widens: items.flatMap(({ widens }) => widens),
    digests: items.flatMap(({ digest }) => (digest === undefined ? [] : [digest])),
  };
}

async function applyStep(run: ApplicationRun, row: Row<ApplicationRow>): Promise<void> {
  const { scope, work, deps } = run;
  const refusal = await refusalOf(run, row.value);
  const start = row.value.after === undefined ? {} : { after: row.value.after };
  const [step] = await workspaceSteps.range(scope, stepsPartition(work.id), { ...start, limit: 1 });
  if (refusal !== undefined || step === undefined) {
    const ended_at = timestamp(deps.clock.now());
    const ended: ApplicationRow =
      refusal === undefined
        ? { ...row.value, state: 'done', ended_at }
        : { ...row.value, state: 'failed', ended_at, error: refusal };
    const changes = [applications.replace(row, ended), liveApplication.remove(undefined, 'any')];
    await tryCommit(scope, changes, { priority: 'background' });
    return;
  }
  const done = step.value.state === 'previewed' ? await applied(run, row.value, step) : step.value;
  const hasFailed = step.value.state === 'previewed' && done.state === 'failed';
  const next: ApplicationRow = {
    ...row.value,
    after: step.sk,
    done: row.value.done + Number(done.state === 'done'),
    failed: row.value.failed + Number(hasFailed),
  };
  await tryCommit(scope, [applications.replace(row, next), workspaceSteps.replace(step, done)], {
    priority: 'background',
  });
}

/** Why nothing more is applied: asked before each workspace, since both may change meanwhile. */
async function refusalOf(
  { deps, work }: ApplicationRun,
  { caller, templates }: ApplicationRow,
): Promise<string | undefined> {
  const membership = await memberships.read(deps.platform, [caller.actor.id, work.orgCode]);
  if (membership?.value.role !== 'org_admin') return 'the builder who started it is no `org_admin` any more';
  // Read again: a process that did not activate the template may hold the one before.
  await deps.configs[work.env].refresh(work.orgCode);
  const now = await templatesOf(deps, work);
  return contentDigest(now) === contentDigest(templates) ? undefined : 'the template has changed since the preview';
}

async function applied(
  { deps, work }: ApplicationRun,
  { templates, replace_local, caller }: ApplicationRow,
  { sk: code, value: step }: Row<WorkspaceStep>,
): Promise<WorkspaceStep> {
  const found = await readyWorkspace(deps, work, code);
  if (found === undefined) return { ...step, state: 'failed', error: 'there is no such workspace' };
  const workspace: Workspace = openWorkspace(deps, work, found);
  const application = { templates, replacesLocal: replace_local, auditCaller: caller, agreed: new Set(step.digests) };
  try {
    const outcome = await applyTemplate(deps, workspace, application);
    if (outcome !== 'overtaken') return { ...step, state: 'done' };
    return { ...step, state: 'failed', error: 'the workspace has changed since the preview: nothing was done' };
  } catch (error) {
    if (error instanceof ScopeClosed) return { ...step, state: 'failed', error: 'there is no such workspace' };
    if (error instanceof Problem) return { ...step, state: 'failed', error: error.message };
    throw error;
  }
}
