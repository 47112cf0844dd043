import type { workspaceInvitationsApi } from '@freehold/contract/management/people/workspace-invitations';
import type { orgWorkspacesApi } from '@freehold/contract/management/workspaces';
import type { ReplyOf } from '@freehold/contract/route';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { usageInput } from '../../api/inputs.ts';
import type { InWorkspace } from '../../api/members.ts';
import type { Environment } from '../../api/session.ts';

export type ListedWorkspace = ReplyOf<typeof orgWorkspacesApi.listOrgWorkspaces>['items'][number];
export type Workspace = ReplyOf<typeof orgWorkspacesApi.readOrgWorkspace>;
/** Called by its id where the email is not shown: production's are for org admins. */
export type Invitation = ReplyOf<typeof workspaceInvitationsApi.listWorkspaceInvitations>['items'][number] & {
  readonly email: string;
};
type Issued = ReplyOf<typeof workspaceInvitationsApi.inviteToWorkspace>;

/** An invitation of now, with the code that is shown this once. */
export interface Sent extends Issued {
  readonly email: string;
}

/** The workspaces whose code begins with `prefix`; with a state, only those that are in it. */
export const workspacesQuery = (env: Environment, prefix: string, state: 'suspended' | undefined) =>
  infiniteQueryOptions({
    queryKey: ['workspaces', env, 'screen', prefix, state],
    queryFn: ({ pageParam, signal }) =>
      call('listOrgWorkspaces', {
        query: {
          ...{ env, prefix, pagesize: 50 },
          ...(state === undefined ? {} : { state }),
          ...(pageParam === '' ? {} : { nexttoken: pageParam }),
        },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nexttoken,
    placeholderData: keepPreviousData,
  });

export const workspaceQuery = ({ env, workspace }: InWorkspace) =>
  queryOptions({
    queryKey: ['workspaces', env, 'one', workspace],
    queryFn: ({ signal }) => call('readOrgWorkspace', { params: { tenant_code: workspace }, query: { env }, signal }),
  });

export const invitationsQuery = ({ env, workspace }: InWorkspace) =>
  queryOptions({
    queryKey: ['workspace invitations', env, workspace],
    queryFn: async ({ signal }) => {
      const params = { tenant_code: workspace };
      const { items } = await call('listWorkspaceInvitations', { params, query: { env }, signal });
      return { items: items.map(({ email, ...invitation }) => ({ ...invitation, email: email ?? invitation.id })) };
    },
  });

/** What the org uses of its plan, with the part of each workspace. */
export const usageQuery = queryOptions({
  queryKey: ['usage', usageInput.query.days],
  queryFn: ({ signal }) => call('showUsage', { ...usageInput, signal }),
});

const figures = new Intl.NumberFormat('en');

export function figure(number: number): string {
  return figures.format(number);
}
