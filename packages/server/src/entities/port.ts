/** How builders define, change and remove entities. */
export { createEntityAdmin, type EntityAdmin } from './entity-admin.ts';
export {
  failingEntities,
  fieldsToHide,
  type HiddenValues,
  recordsAgainst,
  recordsToHide,
  refuseFailingRecords,
  setAfter,
} from './stored-records/records-against.ts';
export { type EntityStep, type EntitySwitchParts, type EntityTarget, switchEntities } from './switch-entities.ts';
