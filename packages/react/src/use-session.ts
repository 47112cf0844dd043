import type { Session } from '@freehold/client';
import { useMemo } from 'react';
import { useApp, useScope } from './app-context.ts';
import type { App } from './register.ts';

interface SessionState extends Pick<App, 'signIn' | 'signInWithToken' | 'signOut'> {
  /** Undefined before a sign-in. */
  readonly session: Session | undefined;
}

/** Who is signed in, and the ways in and out. */
export function useSession(): SessionState {
  const app = useApp();
  const scope = useScope();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the session is another one where the scope is
  return useMemo(
    () => ({
      session: app.session,
      signIn: (credentials, options) => app.signIn(credentials, options),
      signInWithToken: (token, options) => app.signInWithToken(token, options),
      signOut: (options) => app.signOut(options),
    }),
    [app, scope],
  );
}
