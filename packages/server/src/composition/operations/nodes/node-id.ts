import { randomUUID } from 'node:crypto';
import type { SharedParts } from '../../workers/shared-parts.ts';

/** Names a process from its start to its end; its workers have one name together. */
export function nodeIdOf(shared: Pick<SharedParts, 'nodeId'> | undefined): string {
  return shared?.nodeId ?? randomUUID();
}
