import type {
  AppliedWorkspace,
  TemplateApplication,
  WorkspaceDrift,
  WorkspaceDriftDetails,
} from '@freehold/contract/management/settings/workspace-templates';
import type { Read } from '@freehold/contract/schema';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from '../../../api/call.ts';
import type { Environment } from '../../../api/session.ts';

export type Drift = Read<typeof WorkspaceDrift>;
export type Details = Read<typeof WorkspaceDriftDetails>;
export type DriftItem = Details['items'][number];
export type Application = Read<typeof TemplateApplication>;
export type Applied = Read<typeof AppliedWorkspace>;

export const templatesKey = 'workspace templates';

const progressMilliseconds = 1_000;

export const driftQuery = (env: Environment) =>
  infiniteQueryOptions({
    queryKey: [templatesKey, 'drift', env],
    queryFn: ({ pageParam, signal }) =>
      call('listWorkspaceDrift', { query: { env, pagesize: 20, nexttoken: pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ nexttoken }) => nexttoken,
  });

/** @param replacesLocal whether the steps are those of an application that also replaces what the workspace has changed. */
export const detailsQuery = (env: Environment, workspace: string, replacesLocal: boolean) =>
  queryOptions({
    queryKey: [templatesKey, 'details', env, workspace, replacesLocal],
    queryFn: ({ signal }) => {
      const query = { env, ...(replacesLocal ? { replace_local: true } : {}) };
      return call('readWorkspaceDrift', { params: { tenant_code: workspace }, query, signal });
    },
  });

export const applicationsQuery = (env: Environment) =>
  queryOptions({
    queryKey: [templatesKey, 'applications', env],
    queryFn: ({ signal }) => call('listTemplateApplications', { query: { env }, signal }),
    refetchInterval: ({ state }) => (state.data?.items.some(isAtWork) === true ? progressMilliseconds : false),
  });

/** Read again and again while it goes on. */
export const applicationQuery = (env: Environment, id: string) =>
  queryOptions({
    queryKey: [templatesKey, 'application', env, id],
    queryFn: ({ signal }) => call('readTemplateApplication', { params: { id }, query: { env }, signal }),
    refetchInterval: ({ state }) => (state.data !== undefined && isAtWork(state.data) ? progressMilliseconds : false),
  });

export const appliedQuery = (env: Environment, { id, state, done, failed }: Application) =>
  infiniteQueryOptions({
    // What is done so far changes the rows.
    queryKey: [templatesKey, 'applied', env, id, state, done, failed],
    queryFn: ({ pageParam, signal }) =>
      call('listAppliedWorkspaces', { params: { id }, query: { env, pagesize: 50, nexttoken: pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ nexttoken }) => nexttoken,
  });

function isAtWork({ state }: Pick<Application, 'state'>): boolean {
  return state === 'previewing' || state === 'running';
}
