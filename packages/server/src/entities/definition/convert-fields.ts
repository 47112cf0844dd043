import { isDeepStrictEqual } from 'node:util';
import type { InputError } from '@freehold/contract/problem';
import { invalidBody } from '../../lib/problem.ts';
import { colTypeOf, conversionFrom, convertedName, type FieldDefinition, isObject } from '../../schema/port.ts';

/** The fields that stand, names of other stored values, and the config version of the change. */
interface StandingFields {
  readonly fields: readonly FieldDefinition[];
  readonly taken: ReadonlySet<unknown>;
  readonly version: number;
}

/**
 * A catalog in which each expression of a `convert` that was sent is the conversion of the field that stands. A field that
 * has been converted so stays as it is, so that a change may be sent again.
 * @throws Problem `validation_failed` where there is no field to convert, or a conversion that was made is sent otherwise.
 */
export function convertFields(sent: readonly unknown[], standingFields: StandingFields): readonly unknown[] {
  const { fields } = standingFields;
  const errors: InputError[] = [];
  const old = new Map(fields.map((field) => [field.name, field]));
  const converted = sent.map((field, index) => {
    if (!isObject(field) || field.convert === undefined) return field;
    const { convert, ...others } = field;
    const standing = old.get(String(field.name));
    const pointer = `/UpdateParams/${index}/convert`;
    if (isDeepStrictEqual(convert, standing?.convert)) return others;
    if (typeof convert !== 'string')
      errors.push({ pointer, code: 'read_only', message: 'a conversion that was made is kept by the platform' });
    else if (standing === undefined)
      errors.push({ pointer, code: 'contradiction', message: 'there is no field of this name to convert' });
    else return convertedField(standing, { ...others, convert }, standingFields);
    return field;
  });
  if (errors.length > 0) throw invalidBody(errors);
  return converted;
}

function convertedField(
  standing: FieldDefinition,
  { convert, ...sent }: { readonly convert: string },
  { taken, version }: StandingFields,
): unknown {
  const isAsBefore = isDeepStrictEqual(typeOf({ ...standing, ...sent }), typeOf(standing));
  if (isAsBefore && standing.convert?.cel === convert) return sent;
  const known = [...taken].filter((name) => typeof name === 'string');
  const storedAs = convertedName(standing, known, version);
  return { ...sent, storedAs, convert: conversionFrom(convert, standing) };
}

function typeOf({ colType, items }: Pick<FieldDefinition, 'colType' | 'items'>) {
  return { colType: colTypeOf(colType === undefined ? {} : { colType }), items: items ?? undefined };
}
