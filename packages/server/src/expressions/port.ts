/** Expressions of CEL over the fields of a record: read and type-checked once, then evaluated. No I/O. */

export { compileExpression, type Expression, ExpressionLanguage } from './compile-expression.ts';
export { type Condition, compileCondition, type Demand, type ValueSize } from './condition.ts';
export type { Reading, Surroundings } from './grammar.ts';
export { isMistake, type Mistake } from './mistake.ts';
export {
  compileTemplate,
  compileWhen,
  expressionsMax,
  type Template,
  type When,
} from './templates/compile-template.ts';
export { type Effort, isSpent, stepsMax, TemplateError } from './templates/effort.ts';
export { withoutExpressions } from './templates/template-text.ts';
export type { TemplateScope, TemplateValues, ValueType } from './templates/value-type.ts';
