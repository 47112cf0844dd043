/** What an entity is: its definition, its field types, and what these are compiled to. Reads no store. */

export { systemEntityNames } from '@freehold/contract/system-entities';
export type { CompiledCheck } from './checks.ts';
export {
  type CompiledEntity,
  compileEntity,
  recordsMayMeet,
} from './compile-entity.ts';
export type { CompiledField } from './compiled-field.ts';
export { conversionFrom, convertedName, identityOf, rootOf, storedNamesOf } from './conversion.ts';
export {
  type CheckDefinition,
  definitionLimits,
  type EntityDefinition,
  type FieldDefinition,
  isOwnedByCaller,
  isPlatformField,
  type OrderedField,
  type OwnerIndexDefinition,
  orderedFieldText,
  type UniqueIndexDefinition,
  type ViewDefinition,
  type ViewField,
  type Views,
} from './definition.ts';
export { definitionSchemas } from './definition-schemas.ts';
export {
  type ApiAction,
  type ApiConfig,
  actions,
  activeConfigKey,
  apiName,
  bodiesOfContent,
  type ConfigBodiesOfEntity,
  contentOfBodies,
  type EntityContent,
  type ViewedAction,
  versionedConfigKey,
  viewedActions,
} from './entity-content.ts';
export {
  afterErasing,
  type EntityState,
  isSealed,
  newEntityState,
  nextEntityState,
  withFills,
} from './entity-state.ts';
export {
  apiNamesOf,
  fieldName,
  fieldNamed,
  namesOf,
  revivedNames,
  storedNameOf,
  withFormerNames,
} from './field-names.ts';
export {
  type ExpressionValue,
  momentInExpressions,
  textInExpressions,
} from './field-types/computed/expression-value.ts';
export { valueSize } from './field-types/computed/readable-fields.ts';
export { recordType } from './field-types/computed/record-type.ts';
export {
  type CheckEffort,
  type FieldBehaviour,
  type FieldValue,
  type FieldValues,
  isPlatformMade,
  isValueProblem,
  newCheckEffort,
  readValue,
  UnreadText,
  type ValueProblem,
} from './field-types/field-type.ts';
export { guidType } from './field-types/guid.ts';
export { compilePatterns } from './field-types/patterns/compiled-pattern.ts';
export { behaviourOf, colTypeOf, fieldTypeOf, storedInExpressions } from './field-types/registry.ts';
export { type CompiledFill, type FailedFill, type FillState, hasFill, isFilled, isSameFill } from './fills.ts';
export {
  type CompiledCompound,
  type CompiledIndex,
  type CompiledIndexes,
  type CompiledSearch,
  type CompiledUnique,
  compileIndexes,
  type EncodedField,
  elementIndex,
  fieldIndex,
} from './indexes/compile-indexes.ts';
export {
  type Duplicate,
  hasIndex,
  type IndexKind,
  type IndexState,
  isLeaving,
  isSameIndex,
  shownIndexName,
} from './indexes/index-states.ts';
export {
  defaultTemplates,
  escapeKeyValue,
  fillTemplate,
  type KeyTemplate,
  mayOverlap,
  readTemplate,
  reservedTokens,
  type TokenValues,
} from './key-template.ts';
export {
  elementIds,
  heldIds,
  isLookupList,
  lookupOf,
  lookupPointer,
  withoutIds,
} from './lookups.ts';
export {
  entityNameProblem,
  isReservedParameter,
  isSharedParameter,
  type ParameterName,
  routeNameProblem,
  viewNameProblem,
} from './names.ts';
export {
  afterAll,
  idOf,
  indexPrefix,
  indexSortKey,
  indexStart,
  isAloneInIndex,
  presentPrefix,
} from './order/order-encoding.ts';
export { isAloneInTuple, tuplePart, tupleRange } from './order/tuple-order.ts';
export { type ParsedDefinition, parseDefinition } from './parse-definition.ts';
export { parseEntityContent } from './parse-entity-content.ts';
export { isObject, refuseUnknownMembers } from './parsing/members.ts';
export { withOwnerFields } from './parsing/owner-fields.ts';
export { parseViews } from './parsing/parse-views.ts';
export { type Reference, type ReferenceMap, readReferences, withReferences, writeReferences } from './reference-map.ts';
export { isInTemplate, renamesBetween, withRenames } from './renames/renamed-definition.ts';
export {
  convertedWhenRead,
  isUnconverted,
  namedValues,
  overtakenNames,
  renamedIn,
  type StoredNames,
  storedByName,
  storedNames,
  storedValues,
} from './renames/stored-names.ts';
export { groupPoliciesMax, systemEntities, systemEntity } from './system/system-entities.ts';
export { type ConfiguredViews, generatedViews, viewNamed } from './views/entity-views.ts';
export {
  getViews,
  isShownBy,
  type LookedUpView,
  lookedUpByContent,
  lookedUpViews,
  shownFields,
} from './views/looked-up-views.ts';
export { type LookupMember, type Member, type Projection, shapeOf } from './views/projection.ts';
