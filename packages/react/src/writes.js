import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useApp, useScope } from './app-context.ts';
import { showBeforehand } from './optimistic.ts';
import { invalidate } from './record-keys.ts';
import { inScope } from './scope.ts';
/** Creates records. Reads that a new record may change are read again before the mutation settles. */
export function useCreate(entity) {
    const app = useApp();
    const scope = useScope();
    const queryClient = useQueryClient();
    return useMutation({
        mutationKey: [...scope, 'create', entity],
        mutationFn: (data) => inScope(app, scope, () => app.entity(entity).create(data)),
        onSettled: () => invalidate(queryClient, scope, { entity, isDelete: false }),
    });
}
/**
 * Changes records. A record that has changed since it was shown is not overwritten: the error is then a
 * `VersionConflictError`.
 */
export function useUpdate(entity, { optimistic = false } = {}) {
    const app = useApp();
    const scope = useScope();
    const queryClient = useQueryClient();
    return useMutation({
        mutationKey: [...scope, 'update', entity],
        mutationFn: ({ record: { id, version }, changes }) => inScope(app, scope, () => app.entity(entity).update(id, changes, { ifMatch: version })),
        onMutate: async ({ record, changes }) => optimistic ? showBeforehand(queryClient, scope, { entity, id: record.id, changes }) : undefined,
        onError: (_error, _update, rollBack) => rollBack?.(),
        onSettled: () => invalidate(queryClient, scope, { entity, isDelete: false }),
    });
}
/** Deletes records as they were shown, as {@link useUpdate} changes them. */
export function useDelete(entity) {
    const app = useApp();
    const scope = useScope();
    const queryClient = useQueryClient();
    return useMutation({
        mutationKey: [...scope, 'delete', entity],
        mutationFn: ({ id, version }) => inScope(app, scope, async () => {
            await app.entity(entity).delete(id, { ifMatch: version });
        }),
        onSettled: () => invalidate(queryClient, scope, { entity, isDelete: true }),
    });
}
