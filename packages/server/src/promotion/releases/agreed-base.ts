import { createHash } from 'node:crypto';
import { Problem } from '../../lib/problem.ts';

/** Names what somebody has looked at, to be agreed to later: the same for the same texts. */
export function baseOf(texts: readonly string[]): string {
  return createHash('sha256').update(texts.join('\n')).digest('base64url').slice(0, 22);
}

/** @throws Problem `version_mismatch` where what was agreed to is no more what stands. */
export function refuseOtherBase(standing: string, agreed: string | undefined, message: string): void {
  if (agreed !== undefined && standing !== agreed) throw new Problem('version_mismatch', message, { base: standing });
}
