import { createContext, useContext, useMemo, useSyncExternalStore } from 'react';
import { scopeOf } from './scope.ts';
/** The app client that hooks below a provider use. */
export const AppContext = createContext(undefined);
/** The app client of the nearest provider, for calls that no hook makes. */
export function useApp() {
    const app = useContext(AppContext);
    if (app === undefined)
        throw new TypeError('hooks of @freehold/react need a FreeholdProvider above them');
    return app;
}
/** Whose data the hooks read now; a component renders again when it changes. */
export function useScope() {
    const app = useApp();
    // A text, since a snapshot must be equal to itself as long as nothing changes.
    const text = useSyncExternalStore((listener) => app.onSessionChange(listener), () => JSON.stringify(scopeOf(app)), () => JSON.stringify(scopeOf(app)));
    return useMemo(() => JSON.parse(text), [text]);
}
