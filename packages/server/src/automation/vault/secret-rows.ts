/** Secrets as they are stored, in the scope of their org. */
import type { secretsApi } from '@freehold/contract/management/secrets';
import type { ReplyOf } from '@freehold/contract/route';
import type { SealedLocation } from '../../records/port.ts';
import type { Scope } from '../../store/port.ts';
import { json, table } from '../../store/table.ts';

export interface StoredSecret extends Omit<ReplyOf<typeof secretsApi.setSecret>, 'name'> {
  readonly sealed: string;
}

export const secretPartition = 'automation-secret';
export const secretNamePattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

export const secrets = table(
  (name: string) => ({ pk: secretPartition, sk: name }),
  json<StoredSecret>('secret', { sealed: 'string', hosts: 'object', created_at: 'string', updated_at: 'string' }),
);

/** A value is sealed for its place, so that it opens at no other. */
export function placeOf(scope: Scope, name: string): SealedLocation {
  return { scope: scope.name, entityName: secretPartition, id: name, field: 'value' };
}
