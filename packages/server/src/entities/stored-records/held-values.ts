import { readSealed, sealedKey } from '../../records/port.ts';
import { type CompiledEntity, namedValues } from '../../schema/port.ts';
import type { Store } from '../../store/port.ts';
import { type Looked, lookAtRecords } from './look-at-records.ts';
import { NotedRecords } from './noted-records.ts';

/** Fields that go, and the entity as its records were written until now. */
export interface GoingFields {
  readonly orgCode: string;
  readonly entity: CompiledEntity;
  readonly names: readonly string[];
}

/** How many records have a value of each field, as far as they were looked at. */
export interface HeldValues extends Looked {
  readonly fields: readonly { readonly name: string; readonly records: number }[];
  /** By field the records that have a value of it; under no name those that have one of any. */
  readonly holders: NotedRecords;
}

/** Undefined where the fields have no values of their own. */
export async function heldValues(
  store: Store,
  { orgCode, entity, names }: GoingFields,
): Promise<HeldValues | undefined> {
  const own = names.filter((name) => entity.fields.get(name)?.behaviour.compute === undefined);
  if (own.length === 0) return undefined;
  const holders = new NotedRecords();
  const looked = await lookAtRecords(store, { orgCode, entity }, async ({ scope, tenantCode }, data) => {
    const [item] = entity.hasSealed ? await scope.get([sealedKey(entity.name, data.id)]) : [];
    const sealed = namedValues(entity.stored, readSealed(item?.value));
    const held = own.filter((name) => Object.hasOwn(data, name) || Object.hasOwn(sealed, name));
    if (held.length > 0) for (const name of ['', ...held]) holders.note(name, { tenant_code: tenantCode, id: data.id });
  });
  return { fields: own.map((name) => ({ name, records: holders.of(name).records })), holders, ...looked };
}

/** Whether some record has a value, or not all could be looked at. */
export function isHeld({ fields, complete }: HeldValues): boolean {
  return !complete || fields.some(({ records }) => records > 0);
}

/** Which fields have values in how many records. */
export function heldSentence({ fields, checked, complete }: HeldValues): string {
  const some = complete ? `all ${checked} records` : `the first ${checked} records, which are not all`;
  const counts = fields.filter(({ records }) => records > 0).map(({ name, records }) => `${records} have \`${name}\``);
  return `of ${some}, ${counts.length > 0 ? counts.join(', ') : 'none has a value'}`;
}
