/** A condition as far as it is made of comparisons of fields with values that no record changes. */
import type { ASTNode } from '@marcbachmann/cel-js';
import type { ExpressionLanguage } from './compile-expression.ts';
import { type ConditionConstant, constantOf, type FieldRead, mirrored, readField } from './field-comparison.ts';
import { nodesOf } from './node-parts.ts';

/**
 * `test` and `other` are the parts that are false where they cannot be evaluated. `other` may read any values, and take
 * any time.
 */
export type ConditionShape =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly ConditionShape[] }
  | { readonly kind: 'not'; readonly part: ConditionShape }
  | { readonly kind: 'constant'; readonly constant: ConditionConstant }
  | { readonly kind: 'test'; readonly test: FieldTest }
  | { readonly kind: 'other' };

/** `has` compares with nothing; with `in` the constant is a list, and with `holds` an element of the list that the field is. */
export interface FieldTest extends FieldRead {
  readonly operator:
    | '=='
    | '!='
    | '<'
    | '<='
    | '>'
    | '>='
    | 'in'
    | 'holds'
    | 'startsWith'
    | 'endsWith'
    | 'contains'
    | 'has';
  readonly constant: ConditionConstant;
  /** Whether the constant is there as it is written: then the test goes through the value of the field once. */
  readonly isPlain: boolean;
}

export function shapeOf(node: ASTNode, language: ExpressionLanguage): ConditionShape {
  const part = (of: ASTNode): ConditionShape => shapeOf(of, language);
  switch (node.op) {
    case '&&':
      return { kind: 'and', parts: node.args.map(part) };
    case '||':
      return { kind: 'or', parts: node.args.map(part) };
    case '!_':
      return { kind: 'not', part: part(node.args) };
    case '?:': {
      const [condition, then, otherwise] = [part(node.args[0]), part(node.args[1]), part(node.args[2])];
      const chosen: ConditionShape = { kind: 'and', parts: [condition, then] };
      return { kind: 'or', parts: [chosen, { kind: 'and', parts: [{ kind: 'not', part: condition }, otherwise] }] };
    }
    default: {
      const test = testIn(node, language);
      if (test !== undefined) return { kind: 'test', test };
      const constant = constantOf(node, language);
      return constant === undefined ? { kind: 'other' } : { kind: 'constant', constant };
    }
  }
}

const plainNodes: ReadonlySet<string> = new Set(['value', 'id', '.', 'list', '-_']);

function testIn(node: ASTNode, language: ExpressionLanguage): FieldTest | undefined {
  const test = (left: ASTNode, operator: FieldTest['operator'], right: ASTNode): FieldTest | undefined => {
    const read = readField(left, language.surroundings);
    const constant = read === undefined ? undefined : constantOf(right, language);
    const isPlain = nodesOf(right).every(({ op }) => plainNodes.has(op));
    return read && constant && { ...read, operator, constant, isPlain };
  };
  switch (node.op) {
    case '==':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=': {
      const [left, right] = node.args;
      return test(left, node.op, right) ?? test(right, mirrored[node.op], left);
    }
    case 'in': {
      const [left, right] = node.args;
      return test(left, 'in', right) ?? test(right, 'holds', left);
    }
    case 'rcall': {
      const [name, receiver, [part]] = node.args;
      const isOfTexts = name === 'startsWith' || name === 'endsWith' || name === 'contains';
      return isOfTexts && part !== undefined ? test(receiver, name, part) : undefined;
    }
    case 'call': {
      const [name, [of]] = node.args;
      const read = name === 'has' && of !== undefined ? readField(of, language.surroundings) : undefined;
      return read && { ...read, operator: 'has', constant: () => true, isPlain: true };
    }
    default: {
      // A field alone is true or false.
      const read = readField(node, language.surroundings);
      return read && { ...read, operator: '==', constant: () => true, isPlain: true };
    }
  }
}
