import type { ConfigSet } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import type { Store } from '../../store/port.ts';
import { narrowedFields, newChecks } from '../definition/narrowed-fields.ts';
import { type FailingRecords, type FailuresByPart, failuresByPart } from './failing-records.ts';

export interface DefinitionStep {
  readonly orgCode: string;
  readonly config: ConfigSet;
  readonly before: CompiledEntity;
  readonly after: CompiledEntity;
}

/** The records that contradict the definition that is to come; undefined where none can. */
export async function findFailing(
  store: Store,
  { orgCode, config, before, after }: DefinitionStep,
): Promise<FailuresByPart | undefined> {
  const [fields, checks] = [narrowedFields(before, after), newChecks(before, after)];
  if (fields.length + checks.length === 0) return undefined;
  return failuresByPart(store, { orgCode, config, entity: after, fields, checks });
}

/** Whether some record fails, or not all could be looked at. */
export function isContradicted({ would_fail, complete }: FailingRecords): boolean {
  return would_fail > 0 || !complete;
}

/** How a definition is refused that records contradict, or that too many would have to be looked at for. */
export function failingProblem(entityName: string, found: FailingRecords, more: object = {}): Problem {
  const told = `${sentence(entityName, found)}: \`force=true\` makes the change anyway`;
  return new Problem('conflict', told, { ...found, ...more });
}

function sentence(entityName: string, { would_fail, checked, complete }: FailingRecords): string {
  const some = complete ? `all ${checked} records` : `the first ${checked} records, which are not all`;
  return `the change of \`${entityName}\` is stricter than the stored definition: of ${some}, ${would_fail} would fail`;
}
