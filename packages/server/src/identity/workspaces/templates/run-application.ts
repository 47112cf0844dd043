/** The work on an application: workspace by workspace, in commits that also say how far it is. */
import { type ApplyDeps, applyTemplate, contentDigest, planTemplate } from '../../../iam/port.ts';
import { timestamp } from '../../../lib/clock.ts';
import { Problem } from '../../../lib/problem.ts';
import { type Change, type Scope, ScopeClosed } from '../../../store/port.ts';
import type { Row } from '../../../store/table.ts';
import { tryCommit } from '../../../store/transact.ts';
import { orgScopeName, type Workspace, workspacesPartition, workspaceTable } from '../../../tenancy/port.ts';
import { defineJob, type JobSteps } from '../../../work/job.ts';
import { memberships } from '../../org-users/account.ts';
import { openWorkspace } from '../workspace-head.ts';
import {
  type ApplicationRow,
  type ApplicationWork,
  applications,
  applyTemplateJob,
  expiry,
  isAtWork,
  liveApplication,
  stepsPartition,
  type WorkspaceStep,
  workspaceSteps,
} from './application-rows.ts';
import { type DriftDeps, readyWorkspace, templatesOf } from './workspace-drift.ts';

export interface RunApplicationDeps extends ApplyDeps, Omit<DriftDeps, 'cursors'> {
  /** Knows who is an admin of the org. */
  readonly platform: Scope;
}

interface Run {
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

async function previewStep(run: Run, row: Row<ApplicationRow>): Promise<void> {
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
  // Where the row has changed, it was cancelled, or another process works on it.
  await tryCommit(run.scope, [applications.replace(row, next), ...changes], { priority: 'background' });
}

async function nextCodes({ scope }: Run, { codes, after }: ApplicationRow): Promise<readonly string[]> {
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
  { deps, work }: Run,
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

async function applyStep(run: Run, row: Row<ApplicationRow>): Promise<void> {
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
async function refusalOf({ deps, work }: Run, { caller, templates }: ApplicationRow): Promise<string | undefined> {
  const membership = await memberships.read(deps.platform, [caller.actor.id, work.orgCode]);
  if (membership?.value.role !== 'org_admin') return 'the builder who started it is no `org_admin` any more';
  // Read again: a process that did not activate the template may hold the one before.
  await deps.configs[work.env].refresh(work.orgCode);
  const now = await templatesOf(deps, work);
  return contentDigest(now) === contentDigest(templates) ? undefined : 'the template has changed since the preview';
}

async function applied(
  { deps, work }: Run,
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
