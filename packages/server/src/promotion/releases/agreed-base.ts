import { createHash } from 'node:crypto';
import { Problem } from '../../lib/problem.ts';

/** A digest of the reviewed texts, to be sent with the confirmation. */
export function baseOf(texts: readonly string[]): string {
  return createHash('sha256').update(texts.join('\n')).digest('base64url').slice(0, 22);
}

/** @throws Problem `version_mismatch` if the reviewed state is no longer the present one. */
export function refuseOtherBase(standing: string, agreed: string | undefined, message: string): void {
  if (agreed !== undefined && standing !== agreed) throw new Problem('version_mismatch', message, { base: standing });
}
