import { useMemo } from 'react';
import { useApp, useScope } from './app-context.ts';
/** Who is signed in, and the ways in and out. */
export function useSession() {
    const app = useApp();
    const scope = useScope();
    // biome-ignore lint/correctness/useExhaustiveDependencies: the session is another one where the scope is
    return useMemo(() => ({
        session: app.session,
        signIn: (credentials) => app.signIn(credentials),
        signInWithToken: (token) => app.signInWithToken(token),
        signOut: (options) => app.signOut(options),
    }), [app, scope]);
}
