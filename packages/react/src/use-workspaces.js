import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useApp, useScope } from './app-context.ts';
import { readOptions } from './read-options.ts';
import { inScope } from './scope.ts';
export function useWorkspaces() {
    const app = useApp();
    const scope = useScope();
    const workspaces = useQuery({
        ...readOptions(scope, {}),
        queryKey: [...scope, 'workspaces'],
        queryFn: () => inScope(app, scope, () => app.workspaces.list()),
    });
    const switchTo = useCallback(async (code) => {
        await app.workspaces.switchTo(code);
    }, [app]);
    const create = useCallback(async (workspace) => {
        const { code } = await app.workspaces.create(workspace);
        await app.workspaces.switchTo(code);
    }, [app]);
    return { workspaces, current: app.session?.tenantCode ?? undefined, switchTo, create };
}
