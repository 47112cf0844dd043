import ts from 'typescript';
import { lineOf, nodesOf, parseSource } from '../syntax.ts';

/** One small fault in a source text: what stands from `start` to `end` becomes `text`. */
export interface Mutant {
  readonly path: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Every small fault that can be planted into the text: operators, conditions, truths, numbers and names turned round,
 * statements and awaits left out.
 */
export function mutantsOf(path: string, text: string): readonly Mutant[] {
  const source = parseSource(path, text);
  return [...nodesOf(source)].flatMap((node) =>
    (isInType(node) ? [] : faultsOf(node)).map(({ at, becomes }) => ({
      path,
      line: lineOf(at),
      start: at.getStart(source),
      end: at.getEnd(),
      text: becomes,
    })),
  );
}

export function applyMutant(text: string, { start, end, text: becomes }: Mutant): string {
  return text.slice(0, start) + becomes + text.slice(end);
}

interface Fault {
  readonly at: ts.Node;
  readonly becomes: string;
}

const swaps: Readonly<Record<string, readonly string[]>> = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>'],
  '<=': ['<', '>'],
  '>': ['>=', '<'],
  '>=': ['>', '<'],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
  '+': ['-'],
  '-': ['+'],
  '*': ['+'],
};

const calls: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  indexOf: 'lastIndexOf',
  has: 'delete',
  slice: 'at',
};

function faultsOf(node: ts.Node): readonly Fault[] {
  if (ts.isBinaryExpression(node)) {
    const { operatorToken } = node;
    return (swaps[operatorToken.getText()] ?? []).map((becomes) => ({ at: operatorToken, becomes }));
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
    return [{ at: node, becomes: node.operand.getText() }];
  }
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) {
    const at = node.expression;
    return ['false', ...(ts.isIfStatement(node) ? ['true'] : [])].map((becomes) => ({ at, becomes }));
  }
  if (ts.isConditionalExpression(node)) return [{ at: node.condition, becomes: `!(${node.condition.getText()})` }];
  if (ts.isNumericLiteral(node)) return [{ at: node, becomes: String(Number(node.text) + 1) }];
  if (ts.isAwaitExpression(node)) return [{ at: node, becomes: node.expression.getText() }];
  if (ts.isExpressionStatement(node)) return [{ at: node, becomes: ';' }];
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [{ at: node, becomes: 'false' }];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [{ at: node, becomes: 'true' }];
  if (ts.isStringLiteral(node)) return faultsOfText(node);
  if (ts.isPropertyAccessExpression(node) && ts.isCallExpression(node.parent)) {
    const becomes = calls[node.name.text];
    return becomes === undefined ? [] : [{ at: node.name, becomes }];
  }
  return [];
}

/** Sentences for people are left alone: what they say word by word is no matter of right and wrong. */
function faultsOfText(node: ts.StringLiteral): readonly Fault[] {
  const isName = ts.isPropertyAssignment(node.parent) && node.parent.name === node;
  const isInSentence = ts.findAncestor(node, ts.isTemplateSpan) !== undefined;
  return isName || isInSentence || node.text.includes(' ')
    ? []
    : [{ at: node, becomes: JSON.stringify(`${node.text}~`) }];
}

function isInType(node: ts.Node): boolean {
  for (let outer: ts.Node | undefined = node; outer !== undefined; outer = outer.parent) {
    if (ts.isTypeNode(outer) || ts.isInterfaceDeclaration(outer) || ts.isTypeAliasDeclaration(outer)) return true;
    if (ts.isImportDeclaration(outer)) return true;
    if (ts.isStatement(outer)) return false;
  }
  return false;
}
