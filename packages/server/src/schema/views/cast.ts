import type { ViewField } from '../definition.ts';
import type { FieldValue } from '../field-types/field-type.ts';

export type Cast = NonNullable<ViewField['cast']>;

/** A value as a view shows it in another type; `null` where it says nothing in that type. */
export function castValue(value: FieldValue, cast: Cast): FieldValue | null {
  switch (cast) {
    case 'string':
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
    case 'number':
      return toNumber(value);
    case 'integer': {
      const number = toNumber(value);
      return number === null ? null : Math.trunc(number);
    }
    case 'boolean':
      return toBoolean(value);
  }
}

const decimal = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

function toNumber(value: FieldValue): number | null {
  if (typeof value === 'number') return value;
  const number = typeof value === 'string' && decimal.test(value) ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}

function toBoolean(value: FieldValue): boolean | null {
  if (value === true || value === 'true' || value === 1) return true;
  return value === false || value === 'false' || value === 0 ? false : null;
}
