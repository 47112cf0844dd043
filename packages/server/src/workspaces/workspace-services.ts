import type { AccessEpochs } from '../iam/port.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { People } from '../people/port.ts';
import type { Cursors, RecordRuntime } from '../records/port.ts';
import type { Scope } from '../store/port.ts';
import { type CreateUserCommand, createUser, type NewAppUser } from './create-user.ts';
import { createProduction } from './first-admin.ts';
import type { MembershipDeps } from './founding.ts';
import { createInvitations, createWorkspaceInvitations } from './invitations/invitations.ts';
import { createOrgWorkspaces } from './org-workspaces.ts';
import type { SuspendDeps } from './suspend-workspace.ts';
import { createTemplateApplications } from './templates/template-applications.ts';
import { createWorkspaceDrifts } from './templates/workspace-drift.ts';
import type { PurgeSpace, WorkspaceRemovalDeps } from './workspace-removal.ts';
import { createWorkspaces } from './workspaces.ts';

type SharedOfPeople = People['shared'];

export interface WorkspaceServicesDeps extends MembershipDeps, SharedOfPeople {
  readonly platform: Scope;
  readonly mailer: Mailer | undefined;
  readonly runtime: RecordRuntime;
  readonly epochs: AccessEpochs;
  readonly cursors: Cursors;
  /** Tells the jobs that there is work. */
  readonly wake: () => void;
  readonly forgetRuns: PurgeSpace['forgetRuns'];
  readonly workspaceRemoved: WorkspaceRemovalDeps['workspaceRemoved'];
  readonly workspaceResumed: SuspendDeps['workspaceResumed'];
}

export type WorkspaceServices = ReturnType<typeof createWorkspaceServices>;

/** The services of users for their workspaces, and those of builders for the workspaces of an app. */
export function createWorkspaceServices(deps: WorkspaceServicesDeps) {
  return {
    app: { workspaces: createWorkspaces(deps), invitations: createInvitations(deps) },
    management: {
      production: createProduction(deps),
      createAppUser: (command: CreateUserCommand, wanted: NewAppUser) => createUser(deps, command, wanted),
      orgWorkspaces: createOrgWorkspaces(deps),
      workspaceInvitations: createWorkspaceInvitations(deps),
      workspaceDrifts: createWorkspaceDrifts(deps),
      templateApplications: createTemplateApplications(deps),
    },
  };
}
