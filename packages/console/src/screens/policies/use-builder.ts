import { type Actor, useActor } from '../../api/app.ts';
import { usePlace } from '../../api/session.ts';

/** The builder himself, also where the address names a user to read records as: access is changed in his own name. */
export function useBuilder(): Actor | undefined {
  const actor = useActor();
  return actor && { ...actor, user: undefined };
}

/** Why the policies and groups of a workspace cannot be changed here: those of production are records of the app. */
export function useReadOnlyReason(): string | undefined {
  const { env } = usePlace();
  return env === 'prod'
    ? 'In production the admins of a workspace change its policies and groups, by the app. Here they are only shown.'
    : undefined;
}
