import type * as client from '@freehold/client';

/**
 * Where an app names its types, once:
 *
 *     declare module '@freehold/react' {
 *       interface Register { schema: Schema }
 *     }
 *
 * `Schema` is generated from the definitions of the app. Without it every entity is allowed and its records are open.
 */
// biome-ignore lint/suspicious/noEmptyInterface: an app adds its schema to it
export interface Register {}

export type AppSchema = Register extends { readonly schema: infer Schema } ? Schema : client.AnySchema;

export type App = client.App<AppSchema>;

export type EntityName = client.EntityName<AppSchema>;

/** A record of an entity, as its view `default` shows it. */
export type RecordOf<Entity extends EntityName> = client.RecordOf<AppSchema, Entity>;

/** The body of a create of an entity. */
export type CreateOf<Entity extends EntityName> = client.CreateOf<AppSchema, Entity>;

/** The body of an update of an entity: the fields that change. */
export type UpdateOf<Entity extends EntityName> = client.UpdateOf<AppSchema, Entity>;

/** What a read of an entity shows, with the views, fields and related records that it asks for. */
export type Shows<
  Entity extends EntityName,
  Action extends 'create' | 'get' | 'list' | 'update' = 'get',
  Expand = never,
> = client.Shows<AppSchema, Entity, Action, never, never, Expand>;

/** A record that was shown: its version says on which state a change is based. */
export interface Shown {
  readonly id: string;
  readonly version: number;
}
