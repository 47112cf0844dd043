import type { secretsApi } from '@freehold/contract/management/secrets';
import type { ReplyOf } from '@freehold/contract/route';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import type { Environment } from '../../api/session.ts';
import { hooksKey } from '../hooks/queries.ts';

export type Secrets = ReplyOf<typeof secretsApi.listSecrets>;
export type Secret = Secrets['items'][number];

export const secretsQuery = (env: Environment) =>
  queryOptions({
    queryKey: ['secrets', env],
    queryFn: ({ signal }) => call('listSecrets', { query: { env, references: true }, signal }),
  });

/** The members of the org by their ids, for admins. */
export const orgUserNamesQuery = queryOptions({
  queryKey: ['org users', 'names'],
  queryFn: async ({ signal }) => {
    const { items } = await call('listOrgUsers', { signal });
    return new Map(items.map(({ id, email }) => [id, email]));
  },
  staleTime: 60_000,
});

/** After a secret was set or removed, which also decides whether a hook takes messages. */
export async function readSecretsAgain(): Promise<void> {
  await Promise.all(['secrets', hooksKey].map((key) => queryClient.invalidateQueries({ queryKey: [key] })));
}
