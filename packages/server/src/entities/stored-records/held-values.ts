import { Problem } from '../../lib/problem.ts';
import { readSealed, sealedKey } from '../../records/port.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import type { Store } from '../../store/port.ts';
import { type Looked, lookAtRecords } from './look-at-records.ts';

/** Fields that go, and the entity as its records were written until now. */
export interface GoingFields {
  readonly orgCode: string;
  readonly entity: CompiledEntity;
  readonly names: readonly string[];
}

/** How many records have a value of each field, as far as they were looked at. */
export interface HeldValues extends Looked {
  readonly fields: readonly { readonly name: string; readonly records: number }[];
}

/** Undefined where the fields have no values of their own. */
export async function heldValues(
  store: Store,
  { orgCode, entity, names }: GoingFields,
): Promise<HeldValues | undefined> {
  const counts = new Map<string, number>();
  for (const name of names) if (entity.fields.get(name)?.behaviour.compute === undefined) counts.set(name, 0);
  if (counts.size === 0) return undefined;
  const looked = await lookAtRecords(store, { orgCode, entity }, async ({ scope }, data) => {
    const [item] = entity.hasSealed ? await scope.get([sealedKey(entity.name, data.id)]) : [];
    const sealed = readSealed(item?.value);
    for (const [name, count] of counts)
      if (Object.hasOwn(data, name) || Object.hasOwn(sealed, name)) counts.set(name, count + 1);
  });
  return { fields: [...counts].map(([name, records]) => ({ name, records })), ...looked };
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

/** @throws Problem `conflict` where records have values of the fields, or too many would have to be looked at to know. */
export async function refuseHeld(store: Store, going: GoingFields): Promise<void> {
  const held = await heldValues(store, going);
  if (held === undefined || !isHeld(held)) return;
  const names = held.fields.map(({ name }) => `\`${name}\``).join(', ');
  const message = `the values of ${names} would be lost: ${heldSentence(held)}; \`force=true\` erases them`;
  const { fields, checked, complete } = held;
  throw new Problem('conflict', message, { would_lose: fields, checked, complete });
}
