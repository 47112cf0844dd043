import { posix } from 'node:path';
import ts from 'typescript';
import { lineOf, nodesOf, parseSource } from './syntax.ts';

/** One module that a file names. `target` is a path from the root for a module of ours, else the name as written. */
export interface Import {
  readonly line: number;
  readonly target: string;
}

/** What a name that is computed at run time is called; no rule allows it. */
export const computedTarget = '(computed)';

/**
 * Every module that a file can load or take types from: static, dynamic and type imports, re-exports, `require`, and
 * any text that reads like a relative path to a source file, which is how a worker thread is given its program.
 */
export function importsOf(path: string, text: string): readonly Import[] {
  const found: Import[] = [];
  for (const node of nodesOf(parseSource(path, text))) {
    const specifier = specifierOf(node);
    if (specifier !== undefined) found.push({ line: lineOf(node), target: targetOf(path, specifier) });
  }
  return found;
}

/** Where `specifier`, written in the file `path`, leads. */
function targetOf(path: string, specifier: string): string {
  const own = /^@freehold\/([^/]+)(?:\/(.+))?$/.exec(specifier);
  if (own !== null) return `packages/${own[1]}/src/${own[2] ?? 'main'}.ts`;
  return /^\.{1,2}(\/|$)/.test(specifier) ? posix.join(posix.dirname(path), specifier) : specifier;
}

function specifierOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return specifierInText(node);
  if (!ts.isCallExpression(node) || !loadsAModule(node)) return undefined;
  const [argument] = node.arguments;
  return argument !== undefined && ts.isStringLiteralLike(argument) ? undefined : computedTarget;
}

function specifierInText(node: ts.StringLiteralLike): string | undefined {
  return namesAModule(node) || /^\.{1,2}\/.*\.[cm]?[jt]sx?$/.test(node.text) ? node.text : undefined;
}

function namesAModule(node: ts.StringLiteralLike): boolean {
  const { parent } = node;
  if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent)) return parent.moduleSpecifier === node;
  if (ts.isExternalModuleReference(parent)) return true;
  if (ts.isLiteralTypeNode(parent)) return ts.isImportTypeNode(parent.parent);
  return ts.isCallExpression(parent) && loadsAModule(parent) && parent.arguments[0] === node;
}

function loadsAModule({ expression }: ts.CallExpression): boolean {
  if (expression.kind === ts.SyntaxKind.ImportKeyword) return true;
  return /^(require(\.resolve)?|import\.meta\.resolve)$/.test(expression.getText());
}
