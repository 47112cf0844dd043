import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import type { Environment } from './session.ts';
import { shownUser } from './shown-values.ts';

export interface InWorkspace {
  readonly env: Environment;
  readonly workspace: string;
}

/** The members of a workspace whose email or name has `q`. In production they are for org admins alone. */
export async function findMembers(
  { env, workspace }: InWorkspace,
  {
    signal,
    ...query
  }: { readonly q: string; readonly pagesize?: number; readonly nexttoken?: string; readonly signal: AbortSignal },
) {
  const page = await call('listMembers', { query: { env, tenant_code: workspace, ...query }, signal });
  return { ...page, items: page.items.map(shownUser) };
}

/** A member of a workspace, by the user id. */
export const memberQuery = ({ env, workspace }: InWorkspace, id: string) =>
  queryOptions({
    queryKey: ['members', env, workspace, 'one', id],
    queryFn: async ({ signal }) =>
      shownUser(await call('readMember', { params: { id }, query: { env, tenant_code: workspace }, signal })),
    staleTime: 30_000,
  });
