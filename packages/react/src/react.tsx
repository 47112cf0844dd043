/** `@freehold/react`: hooks over `@freehold/client` and TanStack Query. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { AppContext } from './app-context.ts';
import type { App } from './register.ts';
import { forgetOtherScopes } from './scope.ts';

export { useApp } from './app-context.ts';
export type { ReadOptions } from './read-options.ts';
export { useCount, useInfiniteList, useList, useRecord } from './reads.ts';
export type { CreateOf, EntityName, RecordOf, Register, Shown, Shows, UpdateOf } from './register.ts';
export { SessionChangedError } from './scope.ts';
export { type Provider, SignIn, type SignInTexts } from './sign-in.tsx';
export { useCan } from './use-can.ts';
export { useSession } from './use-session.ts';
export { useWorkspaces } from './use-workspaces.ts';
export { type Update, useCreate, useDelete, useUpdate } from './writes.ts';

interface FreeholdProviderProps {
  /** An app client of `createApp`. It must stay the same from render to render. */
  readonly app: App;
  /** The cache; left out, the provider makes one of its own. */
  readonly queryClient?: QueryClient;
  readonly children?: ReactNode;
}

/**
 * Gives the hooks below it their app and their cache. When the user signs out, or the user or the workspace changes, the
 * cache forgets what it holds of the app.
 */
export function FreeholdProvider({ app, queryClient, children }: FreeholdProviderProps) {
  const [own] = useState(() => queryClient ?? new QueryClient());
  const cache = queryClient ?? own;
  useEffect(() => {
    const forget = () => forgetOtherScopes(cache, app);
    // The session may have changed between the render and this effect.
    forget();
    return app.onSessionChange(forget);
  }, [app, cache]);
  return (
    <AppContext value={app}>
      <QueryClientProvider client={cache}>{children}</QueryClientProvider>
    </AppContext>
  );
}
