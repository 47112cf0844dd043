/** The partitions of the store that the server names in its code, for the table of keys in `docs/architecture.md`. */
import { posix } from 'node:path';
import ts from 'typescript';
import { isTestFile, type SourceTree } from '../source-tree.ts';
import { nodesOf, parseSource } from '../syntax.ts';

/** A value that the code computes, in a partition: `mailed-code;{}`. */
const hole = '{}';
const server = 'packages/server/src/';
/** Folders whose keys are not those of the platform: the store has any, and older versions had others. */
const otherKeys = ['store/', 'upgrade/', 'testing/'];

/** In keys, and in changes of items. Partitions that begin with a computed value are left out. */
export function partitionsInCode(tree: SourceTree): readonly string[] {
  const found = new Set<string>();
  for (const [path, text] of tree) {
    if (!isOfPlatform(path) || !text.includes('pk')) continue;
    for (const node of nodesOf(parseSource(path, text))) {
      if (!ts.isObjectLiteralExpression(node)) continue;
      for (const partition of partitionsOf(node, { tree, path }))
        if (partition !== '' && !partition.startsWith(hole)) found.add(partition);
    }
  }
  return [...found].sort();
}

function isOfPlatform(path: string): boolean {
  const name = path.slice(server.length);
  return (
    path.startsWith(server) &&
    path.endsWith('.ts') &&
    !isTestFile(path) &&
    !path.includes('/testing/') &&
    !otherKeys.some((folder) => name.startsWith(folder))
  );
}

interface Place {
  readonly tree: SourceTree;
  readonly path: string;
}

/** Of an object with `pk`, and with the `sk` of a key or the `kind` of a change. */
function partitionsOf(node: ts.ObjectLiteralExpression, place: Place): readonly string[] {
  const members = new Map(node.properties.map((property) => [property.name?.getText() ?? '', property]));
  const pk = members.get('pk');
  if (pk === undefined || !(members.has('sk') || members.has('kind'))) return [];
  if (ts.isShorthandPropertyAssignment(pk)) return textsOf(pk.name, place);
  return ts.isPropertyAssignment(pk) ? textsOf(pk.initializer, place) : [];
}

/** @returns none where the code computes it. */
function textsOf(node: ts.Expression, place: Place): readonly string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node))
    return node.templateSpans.reduce<readonly string[]>(
      (texts, { expression, literal }) => {
        const inserted = textsOf(expression, place);
        return texts.flatMap((text) =>
          (inserted.length === 0 ? [hole] : inserted).map((one) => text + one + literal.text),
        );
      },
      [node.head.text],
    );
  if (ts.isIdentifier(node)) return [...argumentsFor(node, place), ...textsNamed(node.text, place)];
  return ts.isCallExpression(node) && ts.isIdentifier(node.expression) ? textsNamed(node.expression.text, place) : [];
}

/** Of a parameter: the texts that calls in the same file pass. */
function argumentsFor(node: ts.Identifier, { tree, path }: Place): readonly string[] {
  for (let around: ts.Node = node; !ts.isSourceFile(around); around = around.parent) {
    if (!ts.isFunctionDeclaration(around) && !ts.isArrowFunction(around)) continue;
    const index = around.parameters.findIndex(({ name }) => name.getText() === node.text);
    if (index === -1) continue;
    const name = ts.isVariableDeclaration(around.parent) ? around.parent.name.getText() : around.name?.getText();
    return nodesOf(parseSource(path, tree.get(path) ?? '')).flatMap((call) => {
      const argument =
        ts.isCallExpression(call) && call.expression.getText() === name ? call.arguments[index] : undefined;
      return argument !== undefined && ts.isStringLiteralLike(argument) ? [argument.text] : [];
    });
  }
  return [];
}

/** That of a constant, or what a function returns, which is declared at the top of the file or imported. */
function textsNamed(name: string, { tree, path }: Place): readonly string[] {
  const source = parseSource(path, tree.get(path) ?? '');
  for (const statement of source.statements) {
    const found = declared(statement, name);
    if (found !== undefined) return textsOf(found, { tree, path });
    const target = sourceOf(statement, name);
    const from = target === undefined ? undefined : posix.join(posix.dirname(path), target.file);
    if (target !== undefined && from !== undefined && tree.has(from))
      return textsNamed(target.name, { tree, path: from });
  }
  return [];
}

function declared(statement: ts.Statement, name: string): ts.Expression | undefined {
  if (ts.isFunctionDeclaration(statement) && statement.name?.text === name) return returned(statement.body);
  if (!ts.isVariableStatement(statement)) return undefined;
  const { initializer } =
    statement.declarationList.declarations.find((declaration) => declaration.name.getText() === name) ?? {};
  return initializer !== undefined && ts.isArrowFunction(initializer) ? returned(initializer.body) : initializer;
}

function returned(body: ts.ConciseBody | undefined): ts.Expression | undefined {
  if (body === undefined || !ts.isBlock(body)) return body;
  return body.statements.find(ts.isReturnStatement)?.expression;
}

/** Where the statement takes a name from, and by which name it is there. */
function sourceOf(statement: ts.Statement, name: string): { readonly file: string; readonly name: string } | undefined {
  const isImport = ts.isImportDeclaration(statement);
  if (!isImport && !ts.isExportDeclaration(statement)) return undefined;
  const names = isImport ? statement.importClause?.namedBindings : statement.exportClause;
  const { moduleSpecifier } = statement;
  if (names === undefined || moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier)) return undefined;
  if (!ts.isNamedImports(names) && !ts.isNamedExports(names)) return undefined;
  const specifiers: readonly ts.ImportOrExportSpecifier[] = [...names.elements];
  const specifier = specifiers.find((one) => one.name.text === name);
  return specifier === undefined
    ? undefined
    : { file: moduleSpecifier.text, name: (specifier.propertyName ?? specifier.name).text };
}
