import { jsx as _jsx } from "react/jsx-runtime";
/** `@freehold/react`: hooks over `@freehold/client` and TanStack Query. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { AppContext } from './app-context.ts';
import { forgetOtherScopes } from './scope.ts';
export { useApp } from './app-context.ts';
export { useCount, useInfiniteList, useList, useRecord } from './reads.ts';
export { SessionChangedError } from './scope.ts';
export { SignIn } from './sign-in.tsx';
export { useCan } from './use-can.ts';
export { useSession } from './use-session.ts';
export { useWorkspaces } from './use-workspaces.ts';
export { useCreate, useDelete, useUpdate } from './writes.ts';
/**
 * Gives the hooks below it their app and their cache. When the user signs out, or the user or the workspace changes, the
 * cache forgets what it holds of the app.
 */
export function FreeholdProvider({ app, queryClient, children }) {
    const [own] = useState(() => queryClient ?? new QueryClient());
    const cache = queryClient ?? own;
    useEffect(() => {
        const forget = () => forgetOtherScopes(cache, app);
        // The session may have changed between the render and this effect.
        forget();
        return app.onSessionChange(forget);
    }, [app, cache]);
    return (_jsx(AppContext, { value: app, children: _jsx(QueryClientProvider, { client: cache, children: children }) }));
}
