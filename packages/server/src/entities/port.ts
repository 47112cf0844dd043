/** How builders define, change and remove entities. */

export type { EntityAdmin } from './entity-admin.ts';
export { type Entities, openEntities } from './open-entities.ts';
export { type EntityMigrationDeps, type EntityStep, type EntityTarget, planMigration } from './plan-migration.ts';
export { type EntityRouteDeps, entityJobRoutes, entityRoutes } from './routes.ts';
export {
  failingEntities,
  fieldsToHide,
  recordsAgainst,
  recordsToHide,
  recordsToLose,
  refuseFailingRecords,
  setAfter,
  type ToldValues,
} from './stored-records/records-against.ts';
