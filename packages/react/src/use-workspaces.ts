import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useApp, useScope } from './app-context.ts';
import { readOptions } from './read-options.ts';
import type { App } from './register.ts';
import { inScope } from './scope.ts';

type Workspaces = Awaited<ReturnType<App['workspaces']['list']>>;

interface WorkspacesState {
  /** Those that the user is a member of. */
  readonly workspaces: UseQueryResult<Workspaces>;
  /** The code of the workspace that hooks read now; undefined for a user without one. */
  readonly current: string | undefined;
  /** Goes to another workspace; the cache forgets the one before. */
  readonly switchTo: (code: string) => Promise<void>;
  /** Makes a workspace with the user as its admin, and goes there. */
  readonly create: (workspace: { readonly name: string; readonly code?: string }) => Promise<void>;
}

export function useWorkspaces(): WorkspacesState {
  const app = useApp();
  const scope = useScope();
  const workspaces = useQuery({
    ...readOptions(scope, {}),
    queryKey: [...scope, 'workspaces'],
    queryFn: () => inScope(app, scope, () => app.workspaces.list()),
  });
  const switchTo = useCallback(
    async (code: string) => {
      await app.workspaces.switchTo(code);
    },
    [app],
  );
  const create = useCallback(
    async (workspace: { readonly name: string; readonly code?: string }) => {
      const { code } = await app.workspaces.create(workspace);
      await app.workspaces.switchTo(code);
    },
    [app],
  );
  return { workspaces, current: app.session?.tenantCode ?? undefined, switchTo, create };
}
