/** In a batch lookups may name the records of operations before, whose ids their sender does not know yet. */
import type { InputError } from '@freehold/contract/problem';
import { pointerTo } from '../../../lib/json-pointer.ts';
import { invalidBody } from '../../../lib/problem.ts';
import { type CompiledEntity, fieldName, isLookupList, lookupOf } from '../../../schema/port.ts';
import type { BatchOperation } from './read-batch.ts';

/** What `$ref` names: an operation by its index or its `ref`. */
type Reference = number | string;

/** The id of the record of an operation; undefined where it has none. */
export type IdOf = (operation: number) => string | undefined;

/** Whether the operation may refer to others: what of that is a lookup is known by its entity alone. */
export function mayRefer(operation: BatchOperation): boolean {
  if (operation.action === 'delete') return false;
  const { data } = operation;
  return (
    isObject(data) &&
    Object.values(data)
      .flat()
      .some((value) => referenceIn(value) !== undefined)
  );
}

/**
 * The data of an operation with ids in the place of references.
 * @param place that of the operation in the batch. @throws Problem `validation_failed` with `unknown_reference`.
 */
export function withIds(
  { entity, data }: { readonly entity: CompiledEntity; readonly data: unknown },
  {
    operations,
    place,
    idOf,
  }: { readonly operations: readonly BatchOperation[]; readonly place: number; readonly idOf: IdOf },
): unknown {
  if (!isObject(data)) return data;
  const errors: InputError[] = [];
  const resolved = (name: string, value: unknown, pointer: string): unknown => {
    const reference = referenceIn(value);
    if (reference === undefined) return value;
    const named = placeOf(operations, reference);
    const id = named < place ? idOf(named) : undefined;
    if (id === undefined) errors.push(unknownReference(name, reference, pointer));
    return id;
  };
  const members = Object.entries(data).map(([name, value]) => {
    const field = entity.fields.get(fieldName(entity, name));
    if (field === undefined || lookupOf(field.definition) === undefined) return [name, value];
    const pointer = pointerTo(name);
    if (!isLookupList(field.definition)) return [name, resolved(name, value, pointer)];
    if (!Array.isArray(value)) return [name, value];
    return [name, value.map((element, index) => resolved(name, element, `${pointer}/${index}`))];
  });
  if (errors.length > 0) throw invalidBody(errors);
  return Object.fromEntries(members);
}

/** One that names no operation is behind all of them. */
function placeOf(operations: readonly BatchOperation[], reference: Reference): number {
  if (typeof reference === 'number') return reference;
  const place = operations.findIndex((operation) => 'ref' in operation && operation.ref === reference);
  return place === -1 ? operations.length : place;
}

function referenceIn(value: unknown): Reference | undefined {
  if (!isObject(value)) return undefined;
  const { $ref: reference, ...others } = value;
  if (Object.keys(others).length > 0) return undefined;
  if (typeof reference === 'string') return reference;
  return typeof reference === 'number' && Number.isSafeInteger(reference) && reference >= 0 ? reference : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unknownReference(name: string, reference: Reference, pointer: string): InputError {
  const named = String(reference).slice(0, 64);
  const message = `field \`${name}\`: \`$ref\` \`${named}\` names no operation before this one that has made or changed a record`;
  return { pointer, code: 'unknown_reference', message };
}
