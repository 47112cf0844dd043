/** The sides of a comparison: a field, and a value that no record changes. */
import { type ASTNode, EvaluationError, type ParseResult } from '@marcbachmann/cel-js';
import { type ExpressionLanguage, readPart } from './compile-expression.ts';
import { type ExpressionScope, fieldOf } from './grammar.ts';

export interface FieldRead {
  readonly field: string;
  /** The field of the record to which `field` points. */
  readonly member: string | undefined;
}

/** Undefined where it cannot be evaluated. */
export type ConditionConstant = (variables: Readonly<Record<string, unknown>>) => unknown;

export function readField(node: ASTNode, { variables, lookups }: ExpressionScope): FieldRead | undefined {
  const plain = (of: ASTNode): string | undefined =>
    of.op === 'id' && !variables.has(of.args) ? of.args : fieldOf(of);
  const field = plain(node);
  if (field !== undefined) return { field, member: undefined };
  const lookup = node.op === '.' ? plain(node.args[0]) : undefined;
  return node.op === '.' && lookup !== undefined && lookups.has(lookup)
    ? { field: lookup, member: node.args[1] }
    : undefined;
}

export function constantOf(node: ASTNode, language: ExpressionLanguage): ConditionConstant | undefined {
  const { parsed, parts } = readPart(node, language);
  if (parts.readings.length > 0) return undefined;
  return (variables) => evaluated(parsed, variables);
}

/** Undefined where it cannot be evaluated. */
export function evaluated(parsed: ParseResult, context: Readonly<Record<string, unknown>>): unknown {
  try {
    return parsed(context);
  } catch (error) {
    if (error instanceof EvaluationError) return undefined;
    throw error;
  }
}

/** With its sides the other way round. */
export const mirrored = { '==': '==', '!=': '!=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;
