import { useQuery } from '@tanstack/react-query';
import { useApp, useScope } from './app-context.ts';
import { evaluate } from './evaluations.ts';
import { readOptions } from './read-options.ts';
import { entityKey } from './record-keys.ts';
import { inScope } from './scope.ts';
/** Milliseconds. A policy that changes meanwhile is found at the call, which the platform decides itself. */
const staleTime = 30000;
/**
 * Whether the user may do something; undefined until it is known, and if it cannot be found out.
 *
 * With an id or with `changes`, policies decide about that record and those fields. All such questions of one render are one call.
 * With neither, the answer is whether the user may do it to some record at all.
 */
export function useCan(action, entity, id, changes) {
    const app = useApp();
    const scope = useScope();
    const isGeneral = id === undefined && changes === undefined;
    const general = useQuery({
        ...readOptions(scope, { enabled: isGeneral, staleTime }),
        queryKey: [...scope, 'permissions'],
        queryFn: () => inScope(app, scope, () => app.permissions()),
    });
    const exact = useQuery({
        ...readOptions(scope, { enabled: !isGeneral, staleTime }),
        queryKey: entityKey(scope, entity, 'can', { action, id, changes }),
        queryFn: () => evaluate(app, scope, { action, entity, id, properties: changes }),
    });
    return isGeneral ? general.data && general.data.entities[entity]?.[action] === true : exact.data;
}
