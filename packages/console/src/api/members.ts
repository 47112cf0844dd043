import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import type { Environment } from './session.ts';

export interface InWorkspace {
  readonly env: Environment;
  readonly workspace: string;
}

/** A member of a workspace, by the user id. */
export const memberQuery = ({ env, workspace }: InWorkspace, id: string) =>
  queryOptions({
    queryKey: ['members', env, workspace, 'one', id],
    queryFn: ({ signal }) => call('readMember', { params: { id }, query: { env, tenant_code: workspace }, signal }),
    staleTime: 30_000,
  });
