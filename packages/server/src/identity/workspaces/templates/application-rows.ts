/** An application of a template as a job: its rows, in the scope of the org. */
import type { workspaceTemplatesApi } from '@freehold/contract/management/settings/workspace-templates';
import type { ReplyOf } from '@freehold/contract/route';
import type { AuditCaller } from '../../../audit/audit-entry.ts';
import type { WorkspaceTemplates } from '../../../iam/port.ts';
import type { Due, Put } from '../../../store/port.ts';
import { json, table } from '../../../store/table.ts';
import type { Environment } from '../../../tenancy/port.ts';
import { workItem } from '../../../work/job.ts';

export type ShownApplication = ReplyOf<typeof workspaceTemplatesApi.readTemplateApplication>;
export type ShownWorkspace = ReplyOf<typeof workspaceTemplatesApi.listAppliedWorkspaces>['items'][number];

export interface ApplicationRow
  extends Omit<ShownApplication, 'id' | 'created_by' | 'error' | 'started_at' | 'ended_at'> {
  /** Who asked for the preview, and in whose name the template is applied: the builder who started it. */
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

/** What is done in a workspace. */
export interface WorkspaceStep extends Omit<ShownWorkspace, 'code' | 'error'> {
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

export const applyTemplateJob = 'apply-template';

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
