import type { managementApi } from '@freehold/contract/management';
import type { ReplyOf } from '@freehold/contract/route';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../api/call.ts';
import { queryClient } from '../../../api/query-client.ts';
import { meQuery } from '../../../api/session.ts';

export type Factors = ReplyOf<(typeof managementApi)['listSecondFactors']>;
export type Passkey = Factors['passkeys'][number];

/** The user's own second factors. */
export const factorsQuery = queryOptions({ queryKey: ['second factors'], queryFn: () => call('listSecondFactors') });

export function isProtected({ totp, passkeys }: Factors): boolean {
  return totp !== null || passkeys.length > 0;
}

export async function factorsChanged(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: factorsQuery.queryKey }),
    queryClient.invalidateQueries({ queryKey: meQuery.queryKey }),
    queryClient.invalidateQueries({ queryKey: ['sessions'] }),
  ]);
}
