/** How builders define, change and remove entities. */
export { underApiName } from './definition/api-names.ts';
export type { EntityAdmin } from './entity-admin.ts';
export { type Entities, openEntities } from './open-entities.ts';
export { type EntityMigrationDeps, type EntityStep, type EntityTarget, planMigration } from './plan-migration.ts';
export {
  type FailingRecords,
  failingEntities,
  fieldsToHide,
  recordsAgainst,
  recordsToHide,
  recordsToLose,
  setAfter,
  type ToldValues,
} from './stored-records/records-against.ts';
