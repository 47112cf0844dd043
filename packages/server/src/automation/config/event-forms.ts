import type { EventContent } from '../../promotion/port.ts';
import { asDefined, meetsAll, namedFilter, type RecordData } from '../../records/port.ts';
import type { CompiledEntity } from '../../schema/port.ts';

/** An event at one version, ready to be asked. */
export interface LiveEvent {
  readonly name: string;
  readonly version: number;
  readonly content: EventContent;
  /** Whether a record meets its conditions. A condition that the entity does not allow any more is met by none. */
  holds(entity: CompiledEntity, data: RecordData): boolean;
}

export function liveEvent(name: string, version: number, content: EventContent): LiveEvent {
  const { entry_conditions: conditions = [] } = content;
  const compiled = new WeakMap<CompiledEntity, RecordTest>();
  const testOf = (entity: CompiledEntity): RecordTest => {
    const known = compiled.get(entity) ?? conditionsTest(entity, conditions);
    compiled.set(entity, known);
    return known;
  };
  return {
    name,
    version,
    content,
    holds: (entity, data) => conditions.length === 0 || testOf(entity)(asDefined(entity, data)),
  };
}

type RecordTest = (data: RecordData) => boolean;

function conditionsTest(entity: CompiledEntity, conditions: NonNullable<EventContent['entry_conditions']>): RecordTest {
  const filters = conditions.map(({ field, op, value }) =>
    namedFilter(entity, field, { operator: op, text: Array.isArray(value) ? value.join(',') : String(value) }),
  );
  const usable = filters.flatMap((filter) => ('message' in filter ? [] : [filter]));
  return usable.length < filters.length ? () => false : (data) => meetsAll(usable, data);
}
