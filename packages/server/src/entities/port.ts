/** How builders define, change and remove entities. */

export type { EntityAdmin } from './entity-admin.ts';
export { entityKind, entityReference } from './kind/entity.ts';
export { type Entities, openEntities } from './open-entities.ts';
export { type EntityRouteDeps, entityJobRoutes, entityRoutes } from './routes.ts';
