import { hash } from 'node:crypto';
import type { CompiledField } from '../compiled-field.ts';
import { isPlatformField, type ViewDefinition, type ViewField } from '../definition.ts';
import { fieldName, type NamedFields } from '../field-names.ts';
import type { FieldBehaviour, FieldValue } from '../field-types/field-type.ts';

/** A view made ready for the records of one entity: the members it shows, in their order. */
export type Projection = readonly Member[];

export type Member = ValueMember | LookupMember;

/** What a member is read from. */
interface ProjectedRecord {
  readonly data: Readonly<Record<string, FieldValue>>;
  readonly version: number;
}

interface ValueMember {
  readonly as: string;
  readonly field: string;
  /** Undefined leaves the member out. */
  readonly read: (record: ProjectedRecord) => FieldValue | null | undefined;
  readonly cast?: ViewField['cast'];
  /** That of a field whose values are shown as they are. */
  readonly behaviour?: FieldBehaviour;
}

/** Shows the record of `entity` whose id is the field's value, by a view of that entity. */
export interface LookupMember {
  readonly as: string;
  readonly field: string;
  readonly entity: string;
  readonly view: string;
}

/** Fields that the entity has no more, or may not show any more, are left out: a view may be older than the catalog. */
export function compileView(view: ViewDefinition, catalog: NamedFields<CompiledField>): Projection {
  return view.fields.flatMap((viewField): Projection => {
    const { name: asked, as = asked, lookup } = viewField;
    const name = fieldName(catalog, asked);
    const field = catalog.fields.get(name);
    if (field === undefined ? !isPlatformField(name) : field.behaviour.isSecret === true) return [];
    const { cast } = viewField;
    if (lookup === undefined) {
      const shown = cast !== undefined ? { cast } : field === undefined ? {} : { behaviour: field.behaviour };
      return [{ as, field: name, read: reader(name, cast), ...shown }];
    }
    const entity = field?.definition.lookup?.entity;
    return entity === undefined ? [] : [{ as: lookup.as, field: name, entity, view: lookup.view }];
  });
}

const shapes = new WeakMap<Projection, string>();

/**
 * What a view makes of a record, in few letters: views of one shape show one record alike. Computed once per version.
 */
export function shapeOf(projection: Projection): string {
  const known = shapes.get(projection);
  if (known !== undefined) return known;
  const members = projection.map((member) =>
    'entity' in member
      ? [member.as, member.field, member.entity, member.view]
      : [member.as, member.field, member.cast ?? null],
  );
  const shape = hash('sha256', JSON.stringify(members), 'base64url').slice(0, 11);
  shapes.set(projection, shape);
  return shape;
}

function reader(name: string, cast: ViewField['cast']): ValueMember['read'] {
  const read: ValueMember['read'] = name === 'version' ? ({ version }) => version : ({ data }) => data[name];
  if (cast === undefined) return read;
  return (record) => {
    const value = read(record);
    return value === undefined || value === null ? value : castValue(value, cast);
  };
}

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
