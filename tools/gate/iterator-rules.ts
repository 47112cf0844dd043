import ts from 'typescript';
import { type CodeRule, inServer } from '../code-rules.ts';
import { isTestFile } from '../source-tree.ts';
import { lineOf, nodesOf, type Site } from '../syntax.ts';

/**
 * V8 keeps each table that a Map or a Set leaves behind when it grows, with all its entries, for as long as an iterator
 * that has not moved since points to it: an iterator that is kept is a leak. `[...this.#known]` keeps none, and
 * `Ring` of `store/sqlite/item-cache.ts` goes round without one. Collections of one call end with it, so only those in fields count.
 */
export const iteratorRule: CodeRule = {
  name: 'no iterator of a Map or a Set that a field keeps, or that an await holds on a field',
  appliesTo: (path) => inServer(path) && !isTestFile(path) && !path.split('/').includes('testing'),
  find: findKeptIterators,
};

function* findKeptIterators(source: ts.SourceFile): Generator<Site> {
  const collections = fieldsWithCollections(source);
  for (const node of nodesOf(source)) {
    if (ts.isForOfStatement(node)) {
      const walked = collectionOf(node.expression) ?? node.expression;
      if (collections.has(walked.getText()) && (node.awaitModifier !== undefined || awaitsIn(node.statement)))
        yield { line: lineOf(node), what: `for (… of ${node.expression.getText()}) with an await` };
    } else if (collectionOf(node) !== undefined && isInField(node))
      yield { line: lineOf(node), what: node.parent.getText() };
  }
}

/** `this.#known`, where the field begins as a Map or a Set. */
function fieldsWithCollections(source: ts.SourceFile): ReadonlySet<string> {
  return new Set(
    nodesOf(source)
      .filter(ts.isPropertyDeclaration)
      .filter(({ initializer, type }) => /^(new |Readonly)?(Map|Set)\b/.test((initializer ?? type)?.getText() ?? ''))
      .map(({ name }) => `this.${name.getText()}`),
  );
}

/** `known` of `known.entries()` and of `known[Symbol.iterator]()`. */
function collectionOf(node: ts.Node): ts.Expression | undefined {
  if (!ts.isCallExpression(node) || node.arguments.length > 0) return undefined;
  const { expression } = node;
  if (ts.isPropertyAccessExpression(expression))
    return /^(entries|keys|values)$/.test(expression.name.text) ? expression.expression : undefined;
  const isIterator =
    ts.isElementAccessExpression(expression) && expression.argumentExpression.getText() === 'Symbol.iterator';
  return isIterator ? expression.expression : undefined;
}

function isInField(made: ts.Node): boolean {
  const { parent } = made;
  return (
    ts.isPropertyDeclaration(parent) ||
    (ts.isBinaryExpression(parent) &&
      parent.right === made &&
      parent.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
      ts.isPropertyAccessExpression(parent.left))
  );
}

/** Not in a function within: an await in one of them does not stop the loop around it. */
function awaitsIn(node: ts.Node): boolean {
  if (ts.isAwaitExpression(node) || (ts.isForOfStatement(node) && node.awaitModifier !== undefined)) return true;
  return !ts.isFunctionLike(node) && (ts.forEachChild(node, awaitsIn) ?? false);
}
