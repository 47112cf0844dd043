/** What is done on workspaces in the background. */

import { type Job, withParts } from '../../work/job.ts';
import type { JobSpace } from '../../work/work-queue.ts';
import { alignWorkspaceJob } from './suspend-workspace.ts';
import { applicationJob, type RunApplicationDeps } from './templates/run-application.ts';
import { closeWorkspaceJob, type PurgeSpace, purgeWorkspaceJob } from './workspace-removal.ts';

export type WorkspaceJobDeps = RunApplicationDeps & Pick<PurgeSpace, 'forgetRuns'>;

export function workspaceJobs(deps: WorkspaceJobDeps): readonly Job<JobSpace>[] {
  const { clock, epochs, forgetRuns } = deps;
  return [
    withParts(alignWorkspaceJob, { epochs }),
    withParts(closeWorkspaceJob, { clock }),
    withParts(purgeWorkspaceJob, { clock, forgetRuns }),
    withParts(applicationJob, deps),
  ];
}
