import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { useApp, useScope } from './app-context.ts';
import { type EndChange, showBeforehand } from './optimistic.ts';
import { invalidate } from './record-keys.ts';
import type { CreateOf, EntityName, Shown, Shows, UpdateOf } from './register.ts';
import { inScope } from './scope.ts';

export interface Update<E extends EntityName> {
  /** As it was read. */
  readonly record: Shown;
  /** The fields that change; null clears one. */
  readonly changes: UpdateOf<E>;
}

interface UpdateOptions {
  /** Whether cached reads show the changes before the answer, and takes them back if it is a refusal. */
  readonly optimistic?: boolean;
}

/** Creates records. Reads that a new record may change are read again before the mutation settles. */
export function useCreate<E extends EntityName>(entity: E): UseMutationResult<Shows<E, 'create'>, Error, CreateOf<E>> {
  const app = useApp();
  const scope = useScope();
  const queryClient = useQueryClient();
  return useMutation({
    mutationKey: [...scope, 'create', entity],
    mutationFn: (data: CreateOf<E>) => inScope(app, scope, () => app.entity(entity).create<never>(data)),
    onSettled: () => invalidate(queryClient, scope, { entity, isDelete: false }),
  });
}

/**
 * Changes records. A record that has changed since it was shown is not overwritten: the error is then a
 * `VersionConflictError`.
 */
export function useUpdate<E extends EntityName>(
  entity: E,
  { optimistic = false }: UpdateOptions = {},
): UseMutationResult<Shows<E, 'update'>, Error, Update<E>, EndChange | undefined> {
  const app = useApp();
  const scope = useScope();
  const queryClient = useQueryClient();
  return useMutation({
    mutationKey: [...scope, 'update', entity],
    mutationFn: ({ record: { id, version }, changes }: Update<E>) =>
      inScope(app, scope, () => app.entity(entity).update<never>(id, changes, { ifMatch: version })),
    onMutate: async ({ record, changes }): Promise<EndChange | undefined> =>
      optimistic ? showBeforehand(queryClient, scope, { entity, id: record.id, changes }) : undefined,
    onSettled: (_record, error, _update, end) => {
      end?.(error !== null);
      return invalidate(queryClient, scope, { entity, isDelete: false });
    },
  });
}

/** Deletes records as they were shown, as {@link useUpdate} changes them. */
export function useDelete<E extends EntityName>(entity: E): UseMutationResult<void, Error, Shown> {
  const app = useApp();
  const scope = useScope();
  const queryClient = useQueryClient();
  return useMutation({
    mutationKey: [...scope, 'delete', entity],
    mutationFn: ({ id, version }: Shown) =>
      inScope(app, scope, async () => {
        await app.entity(entity).delete(id, { ifMatch: version });
      }),
    onSettled: () => invalidate(queryClient, scope, { entity, isDelete: true }),
  });
}
