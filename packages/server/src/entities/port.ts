/** How builders define, change and remove entities. */
export { type Entities, type EntityAdmin, openEntities } from './entity-admin.ts';
export { entityKind, entityReference } from './kind/entity.ts';
export { type EntityRouteDeps, entityJobRoutes, entityRoutes } from './routes.ts';
