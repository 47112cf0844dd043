/** The model of an entity: its definition, its field types, and what these are compiled to. Reads no store. */

export { definitionSteps, viewSteps } from './changes/change-steps.ts';
export { stateUnder, unfitViews } from './changes/definition-limits.ts';
export { mergeDefinition } from './changes/merge-definition.ts';
export { hiddenFields, narrowing, overwrittenFields } from './changes/narrowed-fields.ts';
export { type CompiledEntity, compileEntity, recordsMayMeet } from './compile-entity.ts';
export { identityOf } from './conversion.ts';
export {
  apiNamesOf,
  definitionLimits,
  type EntityDefinition,
  elementIds,
  type FieldDefinition,
  type FieldValue,
  fieldName,
  fieldNamed,
  heldIds,
  isLookupList,
  isOwnedByCaller,
  isPlatformField,
  lookupOf,
  orderedFieldText,
  revivedNames,
  storedNameOf,
  type ViewDefinition,
  type ViewField,
  type Views,
  withoutIds,
} from './definition.ts';
export { definitionSchemas } from './definition-schemas.ts';
export {
  type ApiAction,
  actions,
  apiName,
  bodiesOfContent,
  contentOfBodies,
  type EntityContent,
  viewedActions,
} from './entity-content.ts';
export { type EntityState, isSealed, newEntityState, nextEntityState, settledState } from './entity-state.ts';
export { valueSize } from './field-types/expression-value.ts';
export {
  isPlatformMade,
  isValueProblem,
  newCheckEffort,
  readValue,
  UnreadText,
  type ValueProblem,
} from './field-types/field-type.ts';
export { compilePatterns } from './field-types/hints/pattern-hint.ts';
export {
  type CompiledField,
  colTypeOf,
  fieldTypeOf,
  namedBehaviour,
  platformValues,
  recordType,
  storedInExpressions,
} from './field-types/registry.ts';
export { type FillState, hasFill, isFilled } from './fills.ts';
export { compileIndexes, elementIndex, fieldIndex, hasIndex, type IndexState, isLeaving } from './indexes.ts';
export { escapeKeyValue, fillTemplate, mayGive, readTemplate, reservedTokens } from './key-template.ts';
export {
  entityNameProblem,
  isReservedParameter,
  isSharedParameter,
  type ParameterName,
  routeNameProblem,
} from './names.ts';
export * as keyOrder from './order/order-encoding.ts';
export { indexPrefix, indexSortKey } from './order/order-encoding.ts';
export { parseEntityContent, parseNewDefinition, refuseBadViews } from './parse-definition.ts';
export { StoredNames, withNamesOf } from './renames/stored-names.ts';
export { groupPoliciesMax, systemEntities, systemEntity } from './system/system-entities.ts';
export {
  generatedViews,
  isShownBy,
  lookedUpByContent,
  lookedUpViews,
  type Projection,
  shapeOf,
  widening,
  withoutGenerated,
} from './views/entity-views.ts';
