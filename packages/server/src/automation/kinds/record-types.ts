import type { ValueType } from '../../expressions/port.ts';
import type { LiveContents } from '../../promotion/port.ts';
import { type EntityContent, recordType, systemEntities } from '../../schema/port.ts';

/** How expressions see the records of an entity; undefined where its fields are not known. */
export type RecordTypes = (entityName: string) => ValueType | undefined;

export function recordTypes({ contentOf }: LiveContents): RecordTypes {
  return (name) => {
    const content = contentOf({ kind: 'entity', name }) as EntityContent | undefined;
    const catalog = content?.definition.UpdateParams ?? systemEntities.get(name)?.definition.UpdateParams;
    return catalog && recordType(catalog);
  };
}
