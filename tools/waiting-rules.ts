/** What makes a test fail by chance on a machine that is busy, as far as one file shows it. */
import ts from 'typescript';
import type { CodeRule } from './code-rules.ts';
import { lineOf, nodesOf, type Site } from './syntax.ts';

/** Says in a comment above a statement, or behind it, why it must go by the clock of the machine: `// wall time: …`. */
const wayOut = /\/\/ wall time: \S/;

/** Where the waiting itself is. */
const waits = /\/eventually\.ts$/;

/** A soak is a load with a pace of its own, and holds nothing to the time of one call. */
const soak = /\/soak\//;

function inTests(path: string): boolean {
  if (waits.test(path) || soak.test(path)) return false;
  return /^packages\/(acceptance\/src\/|server\/src\/store\/postgres\/(.*\.test\.ts$|(.*\/)?testing\/))/.test(path);
}

/** A sleep hopes that something has happened by its end. */
const sleepRule: CodeRule = {
  name: 'no test sleeps for a fixed time: `eventually` waits for what is to come',
  appliesTo: inTests,
  find: findSleeps,
};

/** A loop of its own gives up without a word, or too early. */
const loopRule: CodeRule = {
  name: 'no test asks again and again but by `eventually`, which says what did not come',
  appliesTo: inTests,
  find: findLoops,
};

const elapsedRule: CodeRule = {
  name: 'no test asserts how long something took',
  appliesTo: inTests,
  find: findElapsed,
};

/** A page follows a click by its own time; a locator that is read gives what is there in that moment. */
const pageRule: CodeRule = {
  name: 'no browser test reads a page once for an assertion: `assertBecomes` reads until it is so',
  appliesTo: (path) => /^packages\/acceptance\/src\/browser\/.*\.test\.ts$/.test(path),
  find: findReadsOfPages,
};

export const waitingRules: readonly CodeRule[] = [sleepRule, loopRule, elapsedRule, pageRule];

function* findSleeps(source: ts.SourceFile): Generator<Site> {
  const names = new Set(['setTimeout', ...namesOfPromisedTimers(source)]);
  const fixed = fixedNumbers(source);
  for (const node of nodesOf(source)) {
    if (!ts.isCallExpression(node)) continue;
    const milliseconds = sleepOf(node, names);
    if (milliseconds === undefined || !isFixed(milliseconds, fixed) || hasWayOut(node)) continue;
    yield { line: lineOf(node), what: node.getText() };
  }
}

/** What a call sleeps for: `await pause(20)`, `new Promise((resolve) => setTimeout(resolve, 20))`, `page.waitForTimeout(20)`. */
function sleepOf(call: ts.CallExpression, names: ReadonlySet<string>): ts.Expression | undefined {
  const { expression, arguments: given, parent } = call;
  if (ts.isPropertyAccessExpression(expression) && expression.name.text === 'waitForTimeout') return given[0];
  if (!ts.isIdentifier(expression) || !names.has(expression.text)) return undefined;
  if (ts.isAwaitExpression(parent)) return given[0];
  const isInPromise = ts.isArrowFunction(parent) && ts.isNewExpression(parent.parent);
  return isInPromise ? given[1] : undefined;
}

function namesOfPromisedTimers(source: ts.SourceFile): readonly string[] {
  return source.statements
    .filter(ts.isImportDeclaration)
    .filter(({ moduleSpecifier }) => /^'(node:)?timers\/promises'$/.test(moduleSpecifier.getText()))
    .flatMap(({ importClause }) => {
      const bindings = importClause?.namedBindings;
      return bindings !== undefined && ts.isNamedImports(bindings)
        ? bindings.elements.map(({ name }) => name.text)
        : [];
    });
}

function fixedNumbers(source: ts.SourceFile): ReadonlySet<string> {
  const constants = [...nodesOf(source)].filter(ts.isVariableDeclaration);
  return new Set(
    constants
      .filter(({ initializer }) => initializer !== undefined && ts.isNumericLiteral(initializer))
      .map(({ name }) => name.getText()),
  );
}

function isFixed(milliseconds: ts.Expression, fixed: ReadonlySet<string>): boolean {
  return ts.isNumericLiteral(milliseconds) || (ts.isIdentifier(milliseconds) && fixed.has(milliseconds.text));
}

function* findLoops(source: ts.SourceFile): Generator<Site> {
  for (const node of nodesOf(source)) {
    const condition = ts.isWhileStatement(node) || ts.isDoStatement(node) ? node.expression : undefined;
    const requested = condition ?? (ts.isForStatement(node) ? node.condition : undefined);
    if (requested === undefined || hasWayOut(node) || ![...nodesOf(requested)].some(ts.isAwaitExpression)) continue;
    yield { line: lineOf(node), what: requested.getText() };
  }
}

function* findElapsed(source: ts.SourceFile): Generator<Site> {
  const moments = namesSetBy(source, isClock);
  const isSpan = (node: ts.Node): boolean =>
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind === ts.SyntaxKind.MinusToken &&
    [node.left, node.right].some((side) => [...nodesOf(side)].some((one) => isClock(one) || isNameIn(one, moments)));
  const spans = namesSetBy(source, (node) => [...nodesOf(node)].some(isSpan));
  for (const call of assertionsIn(source)) {
    const found = call.arguments.flatMap((one) => [...nodesOf(one)]).find((one) => isSpan(one) || isNameIn(one, spans));
    if (found !== undefined && !hasWayOut(call)) yield { line: lineOf(call), what: found.getText() };
  }
}

function isClock(node: ts.Node): boolean {
  return ts.isCallExpression(node) && /^(Date|performance)\.now$/.test(node.expression.getText());
}

function isNameIn(node: ts.Node, names: ReadonlySet<string>): boolean {
  return ts.isIdentifier(node) && names.has(node.text);
}

function namesSetBy(source: ts.SourceFile, isWanted: (initializer: ts.Node) => boolean): ReadonlySet<string> {
  const declarations = [...nodesOf(source)].filter(ts.isVariableDeclaration);
  return new Set(
    declarations
      .filter(({ initializer }) => initializer !== undefined && isWanted(initializer))
      .map(({ name }) => name.getText()),
  );
}

const readsOfPages: ReadonlySet<string> = new Set([
  ...['count', 'isVisible', 'isHidden', 'isChecked', 'isDisabled', 'isEnabled', 'getAttribute', 'inputValue'],
  ...['textContent', 'allTextContents', 'innerText', 'allInnerTexts', 'boundingBox'],
]);

/** The address of a page changes, that of a request does not. */
function isReadOfPage({ name, expression }: ts.PropertyAccessExpression): boolean {
  if (name.text === 'url') return !/^(?:request|response|reply|route)$/.test(expression.getText());
  return readsOfPages.has(name.text);
}

function* findReadsOfPages(source: ts.SourceFile): Generator<Site> {
  for (const call of assertionsIn(source)) {
    const reads = call.arguments
      .flatMap((one) => [...nodesOf(one)])
      .filter(ts.isCallExpression)
      .map(({ expression }) => expression)
      .filter(ts.isPropertyAccessExpression);
    const found = reads.find(isReadOfPage);
    if (found !== undefined && !hasWayOut(call)) yield { line: lineOf(call), what: found.getText() };
  }
}

function* assertionsIn(source: ts.SourceFile): Generator<ts.CallExpression> {
  for (const node of nodesOf(source))
    if (ts.isCallExpression(node) && /^assert(\.\w+)?$/.test(node.expression.getText())) yield node;
}

/** No part of another statement, as what a loop does is. */
function isWhole(node: ts.Node): boolean {
  return ts.isSourceFile(node) || ts.isSourceFile(node.parent) || (ts.isBlock(node.parent) && ts.isStatement(node));
}

/** The comment is above the statement, or on its line. */
function hasWayOut(node: ts.Node): boolean {
  const source = node.getSourceFile();
  let statement = node;
  while (!isWhole(statement)) statement = statement.parent;
  const lineEnd = source.text.indexOf('\n', statement.end);
  return wayOut.test(source.text.slice(statement.getFullStart(), lineEnd === -1 ? undefined : lineEnd));
}
