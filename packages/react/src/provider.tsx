import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { App } from './register.ts';
import { forgetOtherScopes, type Scope, scopeOf } from './scope.ts';

interface FreeholdProviderProps {
  /** An app client of `createApp`. It must stay the same from render to render. */
  readonly app: App;
  /** The cache; left out, the provider makes one of its own. */
  readonly queryClient?: QueryClient;
  readonly children?: ReactNode;
}

const AppContext = createContext<App | undefined>(undefined);

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

/** The app client of the nearest provider, for calls that no hook makes. */
export function useApp(): App {
  const app = useContext(AppContext);
  if (app === undefined) throw new TypeError('hooks of @freehold/react need a FreeholdProvider above them');
  return app;
}

/** Whose data the hooks read now; a component renders again when it changes. */
export function useScope(): Scope {
  const app = useApp();
  // A text, since a snapshot must be equal to itself as long as nothing changes.
  const text = useSyncExternalStore(
    (listener) => app.onSessionChange(listener),
    () => JSON.stringify(scopeOf(app)),
    () => JSON.stringify(scopeOf(app)),
  );
  return useMemo(() => JSON.parse(text) as Scope, [text]);
}
