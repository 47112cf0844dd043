import { compileWhen, type Effort, isMistake, isSpent, type When } from '../../expressions/port.ts';
import { asDefined, meetsAll, namedFilter, type RecordData } from '../../records/port.ts';
import { type CompiledEntity, recordType } from '../../schema/port.ts';
import { type EventContent, eventScope } from '../kinds/event.ts';
import type { WriteValues } from './write-values.ts';

/** `too_costly`: its `when` takes more than all conditions of a write may. */
export type Verdict = 'met' | 'unmet' | 'too_costly';

/** What the conditions of the events of one write have in common. */
export interface WriteToJudge {
  readonly values: () => WriteValues;
  readonly effort: Effort;
}

/** An event at one version, ready to be asked. */
export interface LiveEvent {
  readonly name: string;
  readonly version: number;
  readonly content: EventContent;
  /** Whether a record meets its conditions. A condition that the entity does not allow any more is met by none. */
  judge(entity: CompiledEntity, data: RecordData, write: WriteToJudge): Verdict;
}

interface Conditions {
  readonly fields: (data: RecordData) => boolean;
  readonly when: When | undefined;
}

export function liveEvent(name: string, version: number, content: EventContent): LiveEvent {
  const { entry_conditions: conditions = [], when } = content;
  const compiled = new WeakMap<CompiledEntity, Conditions>();
  const conditionsFor = (entity: CompiledEntity): Conditions => {
    const known = compiled.get(entity) ?? {
      fields: conditionsTest(entity, conditions),
      when: when === undefined ? undefined : whenFor(entity, content, when),
    };
    compiled.set(entity, known);
    return known;
  };
  return {
    name,
    version,
    content,
    judge: (entity, data, { values, effort }) => {
      if (conditions.length === 0 && when === undefined) return 'met';
      const asked = conditionsFor(entity);
      if (!asked.fields(asDefined(entity, data))) return 'unmet';
      if (asked.when === undefined) return 'met';
      const isMet = !isSpent(effort) && asked.when.holds({ ...values(), steps: {} }, effort);
      if (isSpent(effort)) return 'too_costly';
      return isMet ? 'met' : 'unmet';
    },
  };
}

/** A condition that is not valid any more holds for nothing. */
function whenFor(entity: CompiledEntity, { event_optype }: EventContent, source: string): When {
  const when = compileWhen(source, eventScope(event_optype, recordType(entity.definition.UpdateParams)));
  return isMistake(when) ? { isOfNode: false, holds: () => false } : when;
}

type RecordTest = (data: RecordData) => boolean;

function conditionsTest(entity: CompiledEntity, conditions: NonNullable<EventContent['entry_conditions']>): RecordTest {
  const filters = conditions.map(({ field, op, value }) =>
    namedFilter(entity, field, { operator: op, text: Array.isArray(value) ? value.join(',') : String(value) }),
  );
  const usable = filters.flatMap((filter) => ('message' in filter ? [] : [filter]));
  return usable.length < filters.length ? () => false : (data) => meetsAll(usable, data);
}
