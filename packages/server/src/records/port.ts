/** The one runtime of all records: writes, lists, views, imports and exports, and the work on stored records. */

export { Overtaken, TooManyReads } from '../store/transaction/read-set.ts';
export { type GroupSource, type GroupTypes, groupTypes } from './aggregates/group-types.ts';
export { aggregates } from './aggregates/routes.ts';
export {
  type AuthorizedCall,
  authorizeBody,
  type EachCaller,
  type NamedPolicyRequest,
  type RunRequest,
} from './caller-access.ts';
export { backwardName } from './expand/expand-tree.ts';
export { transfer } from './import-export/routes.ts';
export { recordCounter, sentinelKey } from './indexes/derive.ts';
export { type Cursors, createCursors } from './listing/cursor.ts';
export { type Filter, meetsAll, operators } from './listing/filter.ts';
export { findRecord, followItems, mayBeId } from './listing/find-record.ts';
export { withPlainNames } from './listing/list-parameters.ts';
export { namedFilter, parameterFilter, plainParameter } from './listing/list-query.ts';
export { scopeToCaller } from './listing/list-scope.ts';
export { openRecords, type RecordSpace } from './open-records.ts';
export { presentationOf, presentRecords, writtenText } from './present-records.ts';
export { holdingAny, refusedByAny } from './query/refused-values.ts';
export {
  dataOf,
  entityTag,
  type RecordData,
  readCreate,
  readRecord,
  readUpdate,
  renewedRecord,
  type StoredRecord,
  systemData,
} from './record.ts';
export { type Actor, directKey, directPartition, updatedRecordKey } from './record-keys.ts';
export { bothPolicies, isOfEnvelope, type RecordGrant, type RecordPolicy, type RecordStates } from './record-policy.ts';
export type { RecordRuntime, Records } from './record-runtime.ts';
export {
  countersOfWorkspace,
  countStoredRecords,
  partitionOfRecords,
  policiesOfOrg,
  recordsOfOrg,
  walkRecords,
} from './records-of-org.ts';
export { checkLookups } from './references.ts';
export { maintainWork } from './reindex/maintain-work.ts';
export {
  entitiesBeingRemoved,
  loadRemoved,
  planRetiredRemoval,
  purgeWork,
  retiredEntities,
} from './reindex/purge-entity.ts';
export { indexProgress } from './reindex/task-progress.ts';
export { type RemovalJob, RemovalMarkConflict } from './removals/removal-row.ts';
export type { LargeRemovals } from './removals/start-removal.ts';
export {
  type Idempotency,
  keepAnswer,
  keyHolderOf,
  type MarkedScope,
  markingStore,
  type OnceRequest,
  once,
  type RepeatedRequests,
  readOnce,
  replayedHeaders,
  runPartition,
} from './repeated-requests.ts';
export type { RecordTransaction } from './transactions/record-transaction.ts';
export { unopenedProblem } from './verification/look.ts';
export {
  createFences,
  type FenceLevel,
  floorKey,
  minConfigVersion,
  tombstone,
} from './writing/fence.ts';
export { bodyAsRead, namedBody } from './writing/named-body.ts';
export { createNumbering } from './writing/numbering.ts';
export { holdsFor, planCreate, planUpdate } from './writing/plan-writes.ts';
export { mergeChanges, type PlannedChange, unconditional } from './writing/planned-change.ts';
export { recordChanges, recordsAddedBy, removeRecords } from './writing/record-changes.ts';
export {
  asDefined,
  assertFieldsAllowed,
  assertNotDenied,
  assertUpdateAllowed,
  assertVisible,
  assertWriteAllowed,
  fieldsBeyond,
  readableUnchangedFields,
  recordOfCreate,
  recordOfUpdate,
  statesBesideFields,
} from './writing/record-checks.ts';
export type { BeforeEvent, BeforeEvents, EntityEvents, EventWrite, RecordEvents } from './writing/record-events.ts';
export type { EntityRules, RecordWrite } from './writing/record-write-deps.ts';
export {
  createSealer,
  heldSealed,
  type SealedLocation,
  type Sealer,
  type SealingKey,
} from './writing/sealed-values.ts';
export {
  type BeforeSpent,
  createWriteLoop,
  type EventOrigin,
  type PolicyBound,
  type RecordCall,
  type WriteContext,
  type WriteLoop,
} from './writing/write-loop.ts';
export type { RecordOperation } from './writing/write-records.ts';
