/** The one runtime of all records: writes, lists, views. */

export { Overtaken, TooManyReads } from '../store/transaction/read-set.ts';
export {
  type AskedRun,
  type AuthorizedCall,
  authorizeBody,
  type EachCaller,
  type NamedPolicyRequest,
} from './caller-access.ts';
export { backwardName } from './expand/expand-tree.ts';
export {
  type Idempotency,
  keepAnswer,
  keyHolderOf,
  type OnceRequest,
  once,
  readOnce,
  replayedHeaders,
} from './idempotency.ts';
export { type Derived, type Deriving, derive, recordCounter, sealedKey, sentinelKey } from './indexes/derive.ts';
export { type Cursors, createCursors } from './listing/cursor.ts';
export { type Filter, meetsAll, operators } from './listing/filter.ts';
export { findRecord, mayBeId } from './listing/find-record.ts';
export { followItems } from './listing/follow-items.ts';
export { isExact, readable, stepsOf } from './listing/judge-records.ts';
export { withPlainNames } from './listing/list-parameters.ts';
export { type ListQuery, namedFilter, parameterFilter, plainParameter } from './listing/list-query.ts';
export { scopeToCaller } from './listing/list-scope.ts';
export { type ListPlan, planList } from './listing/planning/list-plan.ts';
export { openWalk } from './listing/walking/list-walk.ts';
export { openRecords, type RecordRouteDeps, type Records } from './open-records.ts';
export { type Presentation, presentationOf, presentRecords, writtenText } from './present-records.ts';
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
  unconvertedFields,
  unknownField,
} from './record.ts';
export { type Actor, directKey, directPartition, recordPlace, updatedRecordKey } from './record-keys.ts';
export {
  bothPolicies,
  isOfEnvelope,
  isReadable,
  policyWith,
  type ReadableText,
  type RecordGrant,
  type RecordPolicy,
  type RecordStates,
} from './record-policy.ts';
export type { BulkWrites, RecordRuntime } from './record-runtime.ts';
export { countersOfWorkspace, countStoredRecords, policiesOfOrg, recordsOfOrg } from './records-of-org.ts';
export { checkLookups } from './references/lookup-checks.ts';
export { MarkedRecord } from './removals/marks.ts';
export type { Job } from './removals/removal-row.ts';
export { type RunRemovalDeps, removalJob } from './removals/run-removal.ts';
export type { LargeRemovals } from './removals/start-removal.ts';
export { type MarkedScope, markingStore, type RepeatedRequests, runPartition } from './repeated-requests.ts';
export { recordRoutes } from './routes/record-routes.ts';
export type { RecordTransaction } from './transactions/record-transaction.ts';
export {
  asDefined,
  assertFieldsAllowed,
  assertNotDenied,
  assertUpdateAllowed,
  assertVisible,
  assertWriteAllowed,
  fieldsBeyond,
  statesBesideFields,
} from './writing/checks/record-checks.ts';
export { readableUnchangedFields, recordOfCreate, recordOfUpdate } from './writing/checks/unchanged-values.ts';
export { type CreatePlan, type Creation, newCreation, planCreate } from './writing/create-record.ts';
export type { EntityRules, RecordWrite } from './writing/entity-rules.ts';
export type { BeforeEvent, BeforeEvents } from './writing/events/before-events.ts';
export type { EntityEvents, EventWrite, RecordEvents } from './writing/events/record-events.ts';
export { bodyAsRead, errorsAsSent, namedBody } from './writing/named-body.ts';
export { createNumbering, numberKey, numberPartition } from './writing/numbering.ts';
export { mergeChanges, type PlannedChange, unconditional } from './writing/planned-change.ts';
export {
  recordChanges,
  recordsAddedBy,
  removeRecords,
  sameKey,
} from './writing/record-changes.ts';
export type { RecordWriteDeps } from './writing/record-write-deps.ts';
export {
  createSealer,
  readSealed,
  type SealedLocation,
  type Sealer,
  type SealingKey,
} from './writing/sealed-values.ts';
export { holdsFor, planUpdate, type UpdatePlan } from './writing/update-record.ts';
export type { PolicyBound } from './writing/write-gate.ts';
export {
  type BeforeSpent,
  callAt,
  createWriteLoop,
  type EventOrigin,
  type RecordCall,
  type WriteContext,
  type WriteLoop,
  type WritePlan,
} from './writing/write-loop.ts';
export type { RecordOperation } from './writing/write-records.ts';
