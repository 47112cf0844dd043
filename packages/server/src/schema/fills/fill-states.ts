import { isDeepStrictEqual } from 'node:util';
import { isRequired } from '../compiled-field.ts';
import { type EntityDefinition, type FieldDefinition, isPlatformField } from '../definition.ts';
import { storedNameOf } from '../field-names.ts';
import { isPlatformMade } from '../field-types/field-type.ts';
import { fieldTypeOf } from '../field-types/registry.ts';
import { lookupOf } from '../lookups.ts';
import { renamedIn } from '../renames/stored-names.ts';

/**
 * A field whose values a job brings to the records that stand. Once it has been through all of them the state is gone,
 * or `failed` where some got none.
 */
export interface FillState {
  /** As it is stored. */
  readonly field: string;
  /** The config version that brought it. */
  readonly id: number;
  readonly state: 'filling' | 'failed';
  readonly failed?: FailedFill;
}

/** Records that got no value: how many, and some of them. */
export interface FailedFill {
  readonly records: number;
  readonly examples: readonly { readonly tenant_code: string; readonly id: string }[];
}

export function isSameFill(left: FillState, right: FillState): boolean {
  return left.field === right.field && left.id === right.id;
}

/**
 * The states after a definition took another's place: a field whose values come from elsewhere than before is to be
 * filled. What is not done yet goes on, and what has failed is tried again.
 */
export function nextFillStates(
  current: readonly FillState[],
  { before, after }: { readonly before: EntityDefinition; readonly after: EntityDefinition },
  version: number,
): readonly FillState[] {
  const old = new Map(before.UpdateParams.map((field) => [storedNameOf(field), field]));
  return after.UpdateParams.flatMap((field): readonly FillState[] => {
    const stored = storedNameOf(field);
    const standing = current.find((one) => one.field === stored);
    const previous = old.get(stored);
    const was = previous === undefined ? undefined : (fillSource(before, previous) ?? conversionSource(previous));
    const is = fillSource(after, field) ?? conversionSource(field);
    if (is === undefined) return [];
    const isNewlyRequired = isRequired(field) && (previous === undefined || !isRequired(previous));
    if (isDeepStrictEqual(was, is) && !isNewlyRequired && standing?.state !== 'failed')
      return standing === undefined ? [] : [standing];
    // A default that has been in all records is about new ones only.
    if (standing === undefined && was?.kind === 'default' && is.kind === 'default') return [];
    return [{ field: stored, id: version, state: 'filling' }];
  });
}

/** Whether a definition says where the values of a field come from, by the name under which it is stored. */
export function hasFill(definition: EntityDefinition, stored: string): boolean {
  const field = definition.UpdateParams.find((one) => storedNameOf(one) === stored);
  return field !== undefined && (fillSource(definition, field) ?? conversionSource(field)) !== undefined;
}

/** Whether records without a value of the field get one, so that they do not contradict a definition that requires it. */
export function isFilled(definition: EntityDefinition, field: FieldDefinition): boolean {
  const source = fillSource(definition, field);
  return source !== undefined && source.kind !== 'formula';
}

/** Where the values of a field come from in records that have none. */
interface FillSource {
  readonly kind: 'formula' | 'backfill' | 'default' | 'conversion';
  readonly from: unknown;
}

/** A field is stored under another name once it is converted, so each of its conversions fills another one. */
function conversionSource({ convert }: FieldDefinition): FillSource | undefined {
  return convert === undefined ? undefined : { kind: 'conversion', from: undefined };
}

function fillSource(
  { UpdateParams, UniqueIndexes = [] }: EntityDefinition,
  field: FieldDefinition,
): FillSource | undefined {
  const { name, formula, backfill } = field;
  if (isPlatformField(name)) return undefined;
  if (formula !== undefined) return { kind: 'formula', from: [formula, renamedIn(textOf(formula), UpdateParams)] };
  if (!mayBeFilled(field)) return undefined;
  if (backfill !== undefined) return { kind: 'backfill', from: [backfill, renamedIn(backfill, UpdateParams)] };
  // One value for all records would break a unique index, and its record might be gone where it is an id.
  const isShared = lookupOf(field) === undefined && !UniqueIndexes.some(({ fields }) => fields.includes(name));
  if (field.default === undefined || !isRequired(field) || !isShared) return undefined;
  return { kind: 'default', from: field.default };
}

function textOf(formula: NonNullable<FieldDefinition['formula']>): string {
  return typeof formula === 'string' ? formula : formula.cel;
}

function mayBeFilled(field: FieldDefinition): boolean {
  const type = fieldTypeOf(field);
  return !isPlatformMade(type) && type.isSecret !== true;
}
