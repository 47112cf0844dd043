import type { ConfigSet } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import type { Store } from '../../store/port.ts';
import { narrowedFields, newChecks } from '../definition/narrowed-fields.ts';
import { type FailingRecords, failingRecords } from './failing-records.ts';

export interface DefinitionStep {
  readonly orgCode: string;
  readonly config: ConfigSet;
  readonly before: CompiledEntity;
  readonly after: CompiledEntity;
}

/**
 * @throws Problem `conflict` where records contradict the definition that is to come, or too many would have to be
 * looked at to know.
 */
export async function refuseFailing(store: Store, { orgCode, config, before, after }: DefinitionStep): Promise<void> {
  const [fields, checks] = [narrowedFields(before, after), newChecks(before, after)];
  if (fields.length + checks.length === 0) return;
  const found = await failingRecords(store, { orgCode, config, entity: after, fields, checks });
  if (found.would_fail === 0 && found.complete) return;
  const told = `${sentence(after.name, found)}: \`force=true\` makes the change anyway`;
  throw new Problem('conflict', told, { ...found });
}

function sentence(entityName: string, { would_fail, checked, complete }: FailingRecords): string {
  const some = complete ? `all ${checked} records` : `the first ${checked} records, which are not all`;
  return `the change of \`${entityName}\` is stricter than the stored definition: of ${some}, ${would_fail} would fail`;
}
