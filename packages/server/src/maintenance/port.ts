/** What works on the records of a scope behind the requests: index builds, purges, verification, recounts. */
export { indexProgress } from './builds/task-progress.ts';
export { type MaintainDeps, maintainEntity, maintainWork } from './maintain-entity.ts';
export { entitiesBeingRemoved, loadRemoved, purgeEntityJob, purgeWork } from './purge-entity.ts';
export { isRight, type Recounted, type RecountedWorkspace, recountRecords, repairCounters } from './recount-records.ts';
export { planRetiredRemoval, type RetiredEntity, retiredEntities } from './retired-entities.ts';
export { unopenedProblem } from './verification/look.ts';
export { type VerifyDeps, verifyStore } from './verify-store.ts';
export { walkRecords } from './walk-records.ts';
