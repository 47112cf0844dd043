/** Defining, changing and removing entities, for builders. */
export type { Entities, EntityAdmin } from './entity-admin.ts';
export { entityKind, entityReference } from './kind/entity.ts';
export { openEntities } from './open-entities.ts';
