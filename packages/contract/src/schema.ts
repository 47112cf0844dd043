/** The vocabulary that routes are described in: JSON Schema (2020-12) by TypeBox, with the forms that come again and again. */
import {
  type ObjectOptions,
  type SchemaOptions,
  type Static,
  type TArray,
  type TNull,
  type TObject,
  type TProperties,
  type TSchema,
  type TString,
  type TUnion,
  type TUnsafe,
  Type,
} from '@sinclair/typebox';
import { controls, spaces } from './characters.ts';

export { type TObject, type TSchema, Type } from '@sinclair/typebox';

/** What a value of a schema is to those who only read it. */
export type Read<S extends TSchema> = DeepReadonly<Static<S>>;

type DeepReadonly<T> = T extends readonly (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> | (undefined extends T[K] ? undefined : never) }
    : T;

export const text = Type.String();
export const guid = Type.String({ format: 'uuid' });
export const time = Type.String({ format: 'date-time' });
/** Where a range of time begins or ends: a time, or a day for its beginning in UTC. */
export function timeOrDay(description: string): TUnion<[typeof time, TString]> {
  return Type.Union([time, Type.String({ format: 'date' })], {
    description: `${description} A day counts from its beginning in UTC.`,
  });
}
/** What a person calls a thing or himself: something of it can be read. */
export const title = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: `[^\\t-\\r${spaces}]`,
  description: 'a text that is not blank',
});
/** The same on one line. */
export const lineTitle = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: `^[^${controls}]*[^${controls}${spaces}][^${controls}]*$`,
  description: 'a text that is not blank and has no control characters',
});
/** Why a builder does a thing, for those who read the audit log later. */
export const reason = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: lineTitle.pattern ?? '',
  description: 'a text that is not blank and has no control characters',
});
/** A number of things, from 0. */
export const count = Type.Integer({ minimum: 0 });

/** An object that takes no members but these. Members are needed unless they are `Type.Optional`. */
export function closed<P extends TProperties>(properties: P, options: ObjectOptions = {}): TObject<P> {
  return Type.Object(properties, { ...options, additionalProperties: false });
}

/** One of a few texts. */
export function oneOf<const T extends string | number>(values: readonly T[], options: SchemaOptions = {}): TUnsafe<T> {
  return Type.Unsafe<T>({ ...options, type: typeof values[0] === 'number' ? 'integer' : 'string', enum: values });
}

export function orNull<S extends TSchema>(schema: S, options: SchemaOptions = {}): TUnion<[S, TNull]> {
  return Type.Union([schema, Type.Null()], options);
}

/** The reply of every list: its items under one name. */
export function itemsOf<S extends TSchema>(schema: S): TObject<{ items: TArray<S> }> {
  return Type.Object({ items: Type.Array(schema) });
}

/** The reply of a paged list. */
export function pageOf<S extends TSchema>(
  schema: S,
): TObject<{ items: TArray<S>; nexttoken: TUnion<[typeof text, TNull]> }> {
  return Type.Object({ items: Type.Array(schema), nexttoken: orNull(text) });
}

/** A file in JSON Lines: for readers of `contentSchema`, the lines are the elements of an array. */
export function linesOf(line: TSchema): TUnsafe<string> {
  return Type.Unsafe<string>({
    type: 'string',
    contentMediaType: 'application/x-ndjson',
    contentSchema: { type: 'array', items: line },
  });
}

/** A schema that documents refer to by a name. */
export function named<S extends TSchema>(name: string, schema: S): S {
  return { ...schema, $id: name };
}

/** A schema that the server makes, as those of entity definitions, which follow from its registry of field types. */
export function madeByServer<T = unknown>(name: string): TUnsafe<T> {
  return Type.Unsafe<T>({ $ref: schemaPath(name) });
}

/** A statement of a policy, whose schema follows from the server's tables of verbs, keys and operators. */
export const policyStatement = madeByServer('PolicyStatement');

/** Where a document keeps the schema of a name. */
export function schemaPath(name: string): string {
  return `#/components/schemas/${name}`;
}

/** An object of any shape. It says so itself: generators of clients take an object without members for an empty one. */
export function anyObject(options: SchemaOptions = {}): TUnsafe<Record<string, unknown>> {
  return Type.Unsafe<Record<string, unknown>>({ additionalProperties: true, ...options, type: 'object' });
}

/** An object whose members are all of one schema. */
export function recordOf<S extends TSchema>(
  schema: S,
  options: SchemaOptions = {},
): TUnsafe<Record<string, Static<S>>> {
  return Type.Unsafe<Record<string, Static<S>>>({ ...options, type: 'object', additionalProperties: schema });
}

/** By which documents and the gateway know a member of a reply that holds or tells of values of records. */
export const ofRecordsMark = 'x-org-admin-in-production';

/** A member of a reply that callers without the role `org_admin` do not get of production. */
export function ofRecords<S extends TSchema>(schema: S) {
  const reported = 'In production for `org_admin` alone.';
  const description = schema.description === undefined ? reported : `${schema.description} ${reported}`;
  return Type.Optional({ ...schema, description, [ofRecordsMark]: true } as S);
}

/** For each verb of policies on the records of an entity. */
export function byVerb<S extends TSchema>(schema: S) {
  return Type.Object({
    get: schema,
    list: schema,
    count: schema,
    create: schema,
    update: schema,
    delete: schema,
    browse: schema,
  });
}
