/** Expressions of CEL over the fields of a record: read and type-checked once, then evaluated. No I/O. */
export {
  compileExpression,
  type Expression,
  ExpressionLanguage,
  isMistake,
  type Mistake,
} from './compile-expression.ts';
