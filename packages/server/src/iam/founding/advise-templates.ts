import { isDeepStrictEqual } from 'node:util';
import type { Surroundings } from '../../config/port.ts';
import { cooperatively } from '../../lib/scheduling/cooperatively.ts';
import { lintStatements } from '../lint/lint.ts';
import { lintEntities } from '../lint/lint-entities.ts';
import type { WorkspaceTemplates } from './workspace-templates.ts';

/** What policies that are new or changed are likely not to mean, by the lint of policies, a sentence each. */
export async function adviseTemplates(
  before: WorkspaceTemplates,
  after: WorkspaceTemplates,
  around: Surroundings,
): Promise<readonly string[]> {
  const changed = after.policies.filter((policy) => !before.policies.some((was) => isDeepStrictEqual(was, policy)));
  if (changed.length === 0) return [];
  const entities = await lintEntities({ entity: around.entity, entityNames: around.namesOf('entity') });
  const blocks = around.namesOf('logicblock');
  const sentences: string[] = [];
  for await (const { name, statements } of cooperatively(changed))
    for (const { severity, pointer, message } of lintStatements(statements, entities, blocks))
      if (severity !== 'info') sentences.push(`policy \`${name}\`: ${message} (${pointer})`);
  return sentences;
}
