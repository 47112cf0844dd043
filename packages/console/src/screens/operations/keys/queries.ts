import type { SigningKey as SigningKeySchema } from '@freehold/contract/management/platform';
import type { Read } from '@freehold/contract/schema';
import { queryOptions } from '@tanstack/react-query';
import { operate } from '../operate.ts';

export type SigningKey = Read<typeof SigningKeySchema>;

export const signingKeysQuery = queryOptions({
  queryKey: ['signing keys'],
  queryFn: ({ signal }) => operate('listSigningKeys', { signal }),
});
