import { posix } from 'node:path';
import ts from 'typescript';
import { isTestFile, type SourceTree } from './source-tree.ts';
import { lineOf, nodesOf, parseSource, type Site } from './syntax.ts';

/** A rule that can be decided by looking at one file. */
export interface CodeRule {
  readonly name: string;
  readonly appliesTo: (path: string) => boolean;
  readonly find: (source: ts.SourceFile) => Iterable<Site>;
}

const linesMax = 400;
const mayReadTheEnvironment =
  /^packages\/(cli\/src\/freehold\.ts$|server\/src\/(config|main|commands\/(command-line|doctor)|store\/testing\/(open-test-store|quick)|testing\/command|store\/postgres\/testing\/(test|with)-(server|cluster))\.ts$|acceptance\/)/;
const vagueName = /manager|helper|utils?(?![a-z])|common/i;

export const codeRules: readonly CodeRule[] = [
  {
    name: `no file over ${linesMax} lines`,
    appliesTo: (path) => inPackages(path) && !isTestFile(path),
    find: findLength,
  },
  { name: 'no default export', appliesTo: inPackages, find: findDefaultExports },
  {
    name: 'no file but the port of a module, and the lists of features, that only passes on what others export',
    appliesTo: (path) => inPackages(path) && !['port.ts', 'features.ts'].includes(posix.basename(path)),
    find: findBarrel,
  },
  { name: 'no file name that says nothing', appliesTo: inPackages, find: findVagueName },
  {
    name: 'no look at the environment but in the configuration',
    appliesTo: (path) => inPackages(path) && !mayReadTheEnvironment.test(path),
    find: findEnvironment,
  },
  {
    name: 'no part of the console that is loaded later but by `lazyPart`, which says so if it does not arrive',
    appliesTo: (path) => path.startsWith('packages/console/src/'),
    find: findReactLazy,
  },
  { name: 'no pattern made at run time', appliesTo: inServer, find: findRuntimePatterns },
];

/** Sentences about every place that breaks a rule; none when all hold. */
export function checkCode(sources: SourceTree, rules: readonly CodeRule[]): readonly string[] {
  return [...sources].flatMap(([path, text]) => {
    const applying = rules.filter((rule) => rule.appliesTo(path));
    if (applying.length === 0) return [];
    const source = parseSource(path, text);
    return applying.flatMap((rule) =>
      [...rule.find(source)].map(({ line, what }) => `${path}:${line} breaks "${rule.name}": ${what}`),
    );
  });
}

export function inServer(path: string): boolean {
  return path.startsWith('packages/server/src/');
}

function inPackages(path: string): boolean {
  return /^packages\/[^/]+\/src\//.test(path);
}

function* findLength(source: ts.SourceFile): Generator<Site> {
  const lines = source.text.split('\n').length - (source.text.endsWith('\n') ? 1 : 0);
  if (lines > linesMax) yield { line: linesMax + 1, what: `${lines} lines` };
}

function* findReactLazy(source: ts.SourceFile): Generator<Site> {
  for (const node of nodesOf(source)) {
    const isImported =
      ts.isImportSpecifier(node) &&
      ts.isStringLiteral(node.parent.parent.parent.moduleSpecifier) &&
      node.parent.parent.parent.moduleSpecifier.text === 'react' &&
      (node.propertyName ?? node.name).text === 'lazy';
    const isMember = ts.isPropertyAccessExpression(node) && node.getText() === 'React.lazy';
    if (isImported || isMember) yield { line: lineOf(node), what: node.getText() };
  }
}

function* findDefaultExports(source: ts.SourceFile): Generator<Site> {
  for (const node of nodesOf(source)) {
    const isDefault =
      ts.isExportAssignment(node) ||
      (node.kind === ts.SyntaxKind.DefaultKeyword && ts.isModifier(node)) ||
      (ts.isExportSpecifier(node) && node.name.text === 'default');
    if (isDefault) yield { line: lineOf(node), what: node.getText() };
  }
}

function* findBarrel(source: ts.SourceFile): Generator<Site> {
  const [first] = source.statements;
  if (first === undefined || !source.statements.some(ts.isExportDeclaration)) return;
  const hasCode = source.statements.some((one) => !ts.isExportDeclaration(one) && !ts.isImportDeclaration(one));
  if (!hasCode) yield { line: lineOf(first), what: 'it holds nothing of its own' };
}

function* findVagueName(source: ts.SourceFile): Generator<Site> {
  const found = vagueName.exec(posix.basename(source.fileName));
  if (found !== null) yield { line: 1, what: found[0] };
}

/** `process.env` however it is spelled: by name, by text, taken out of `process`, or imported from `node:process`. */
function* findEnvironment(source: ts.SourceFile): Generator<Site> {
  for (const node of nodesOf(source)) {
    const reads =
      (ts.isPropertyAccessExpression(node) && node.name.text === 'env' && isProcess(node.expression)) ||
      (ts.isElementAccessExpression(node) && isProcess(node.expression)) ||
      (ts.isVariableDeclaration(node) && ts.isObjectBindingPattern(node.name) && isProcess(node.initializer)) ||
      (ts.isImportDeclaration(node) && /^(node:)?process$/.test(textOf(node.moduleSpecifier)));
    if (reads) yield { line: lineOf(node), what: node.getText() };
  }
}

function isProcess(node: ts.Expression | undefined): boolean {
  return node !== undefined && /^(globalThis\.)?process$/.test(node.getText());
}

/**
 * A pattern from outside can hold the event loop for minutes, so patterns are literals. The name `RegExp` may stand in
 * types, after `instanceof`, and before a literal; given any other use, this rule could not tell what becomes of it.
 */
function* findRuntimePatterns(source: ts.SourceFile): Generator<Site> {
  for (const node of nodesOf(source)) {
    if (!ts.isIdentifier(node) || node.text !== 'RegExp' || isTypeName(node)) continue;
    const { parent } = node;
    const makes = (ts.isNewExpression(parent) || ts.isCallExpression(parent)) && parent.expression === node;
    const [pattern] = makes ? (parent.arguments ?? []) : [];
    if (pattern !== undefined && ts.isStringLiteralLike(pattern)) continue;
    if (ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword) continue;
    yield { line: lineOf(node), what: parent.getText() };
  }
}

function isTypeName(node: ts.Identifier): boolean {
  return ts.isTypeReferenceNode(node.parent) || ts.isQualifiedName(node.parent);
}

function textOf(node: ts.Expression): string {
  return ts.isStringLiteralLike(node) ? node.text : '';
}
