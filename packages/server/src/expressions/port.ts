/** Expressions of CEL over the fields of a record: read and type-checked once, then evaluated. No I/O. */

export { compileExpression, type Expression, ExpressionLanguage } from './compile-expression.ts';
export { type CompiledCondition, compileCondition, type Demand, type ValueSize } from './condition.ts';
export type { ConditionShape, FieldTest } from './condition-shape.ts';
export { type ExpressionMistake, type ExpressionScope, isMistake, type Reading } from './grammar.ts';
export { type Effort, isSpent, stepsMax, TemplateError } from './templates/cel-values.ts';
export {
  type CompiledTemplate,
  compileTemplate,
  compileWhen,
  expressionsMax,
  type When,
  withoutExpressions,
} from './templates/compile-template.ts';
export type { TemplateScope, TemplateValues, ValueType } from './templates/value-type.ts';
