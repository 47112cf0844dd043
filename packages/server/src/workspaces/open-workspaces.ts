import { type Job, withParts } from '../work/job.ts';
import { membershipData } from './person-data.ts';
import { type WorkspaceRouteDeps, workspaceRoutes } from './routes.ts';
import { alignWorkspaceJob } from './suspend-workspace.ts';
import { applicationJob, type RunApplicationDeps } from './templates/run-application.ts';
import { closeWorkspaceJob, purgeWorkspaceJob } from './workspace-removal.ts';
import { createWorkspaceServices, type WorkspaceServicesDeps } from './workspace-services.ts';

export type WorkspacesModuleDeps = WorkspaceServicesDeps & Pick<WorkspaceRouteDeps, 'mayAct' | 'metering' | 'removals'>;

export function openWorkspaces(deps: WorkspacesModuleDeps) {
  const services = createWorkspaceServices(deps);
  return {
    ...services,
    personData: membershipData(deps),
    jobs: workspaceJobs(deps),
    routes: workspaceRoutes({ ...deps, ...services.app, ...services.management }),
  };
}

function workspaceJobs({ foundingGate, forgetRuns, ...deps }: WorkspacesModuleDeps): readonly Job[] {
  const { clock, epochs } = deps;
  const policyGate: RunApplicationDeps['policyGate'] = async (workspace, policies) =>
    foundingGate?.(workspace, workspace.tenantCode, policies);
  return [
    withParts(alignWorkspaceJob, { epochs }),
    withParts(closeWorkspaceJob, { clock }),
    withParts(purgeWorkspaceJob, { clock, forgetRuns }),
    withParts(applicationJob, { ...deps, policyGate }),
  ];
}
