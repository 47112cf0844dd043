/** In a batch lookups may name the records of operations before, whose ids their sender does not know yet. */
import type { InputError } from '@freehold/contract/problem';
import { pointerTo } from '../../lib/json-pointer.ts';
import { errorsMax, invalidBody } from '../../lib/problem.ts';
import { type CompiledEntity, fieldName, isLookupList, lookupOf } from '../../schema/port.ts';
import type { BatchOperation } from './read-batch.ts';

/** What `$ref` names: an operation by its index or its `ref`. */
type Reference = number | string;

/** What operations of a batch may refer to. */
export interface Referable {
  /** The id of the record of an operation; undefined where it has none. */
  idOf(operation: number): string | undefined;
  /** The places of operations by their names. */
  readonly names: ReadonlyMap<string, number>;
}

export function namesOf(operations: readonly BatchOperation[]): Referable['names'] {
  const named = operations.map((operation, place) => ['ref' in operation ? operation.ref : undefined, place] as const);
  return new Map(named.flatMap(([name, place]) => (name === undefined ? [] : [[name, place]])));
}

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
 * @param place that of the operation. @throws Problem `validation_failed` with `unknown_reference`.
 */
export function withIds(
  { entity, data }: { readonly entity: CompiledEntity; readonly data: unknown },
  place: number,
  { idOf, names }: Referable,
): unknown {
  if (!isObject(data)) return data;
  const errors: InputError[] = [];
  const resolved = (name: string, value: unknown, pointer: string): unknown => {
    const reference = referenceIn(value);
    if (reference === undefined) return value;
    const named = typeof reference === 'number' ? reference : names.get(reference);
    const id = named !== undefined && named < place ? idOf(named) : undefined;
    if (id === undefined && errors.length <= errorsMax) errors.push(unknownReference(name, reference, pointer));
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
