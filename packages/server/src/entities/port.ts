/** How builders define, change and remove entities. */
export type { EntityAdmin } from './entity-admin.ts';
export { type Entities, openEntities } from './open-entities.ts';
export {
  failingEntities,
  fieldsToHide,
  type HiddenValues,
  recordsAgainst,
  recordsToHide,
  refuseFailingRecords,
  setAfter,
} from './stored-records/records-against.ts';
export { type EntityStep, type EntitySwitchDeps, type EntityTarget, switchEntities } from './switch-entities.ts';
