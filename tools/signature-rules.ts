import ts from 'typescript';
import { type CodeRule, inServer } from './code-rules.ts';
import { lineOf, nodesOf, type Site } from './syntax.ts';

/** The functions of jose that check a token; `algorithms` says which ones the token may name itself. */
const joseChecks: ReadonlySet<string> = new Set(['jwtVerify', 'compactVerify', 'flattenedVerify', 'generalVerify']);

/** What of jose works on a token before anybody is known to have signed it, or asks whom the token names. */
const credulous = /^(\w+Decrypt|createRemoteJWKSet|EmbeddedJWK)$/;

/** The functions of `node:crypto` that check a signature: the algorithm is the first argument. */
const cryptoChecks: ReadonlySet<string> = new Set(['verify', 'createVerify']);

/**
 * Algorithms by which an attacker who knows a public key, or nothing at all, could sign a token (RFC 8725, section
 * 3.1).
 */
const forgeable = /^(none|HS\d+)$/i;

/**
 * A token names its own algorithm, so a check that does not say which ones it takes lets the sender choose (RFC 8725,
 * section 3.1). The names must stand beside the call, where a reader sees them: literals, or a constant of the file.
 */
export const signatureRule: CodeRule = {
  name: 'A02: every check of a signature names its algorithms',
  appliesTo: inServer,
  find: findOpenChecks,
};

/**
 * Decrypting costs the sender of the token nothing and the platform as much as the sender likes: rounds of key
 * derivation, a small text that unpacks to a large one. No provider of ours sends encrypted tokens.
 */
export const credulityRule: CodeRule = {
  name: 'A38, A10: no token is decrypted, and no key is taken from where a token says',
  appliesTo: inServer,
  find: findCredulity,
};

function* findCredulity(source: ts.SourceFile): Generator<Site> {
  for (const node of nodesOf(source)) {
    const isJose = ts.isImportDeclaration(node) && textOf(node.moduleSpecifier) === 'jose';
    const bindings = isJose ? node.importClause?.namedBindings : undefined;
    if (bindings === undefined) continue;
    if (ts.isNamespaceImport(bindings)) yield { line: lineOf(node), what: 'all of jose under one name' };
    else
      for (const { name, propertyName = name } of bindings.elements)
        if (credulous.test(propertyName.text)) yield { line: lineOf(node), what: propertyName.text };
  }
}

function textOf(node: ts.Expression): string {
  return ts.isStringLiteralLike(node) ? node.text : '';
}

function* findOpenChecks(source: ts.SourceFile): Generator<Site> {
  const fromCrypto = namesImportedFrom(source, /^(node:)?crypto$/);
  for (const node of nodesOf(source)) {
    if (ts.isImportSpecifier(node) && node.propertyName !== undefined && isACheck(node.propertyName.text)) {
      yield { line: lineOf(node), what: 'under another name the check cannot be found' };
    }
    if (!ts.isCallExpression(node)) continue;
    const complaint = complaintAboutJose(node) ?? complaintAboutCrypto(node, fromCrypto);
    if (complaint !== undefined) yield { line: lineOf(node), what: complaint };
  }
}

function isACheck(name: string): boolean {
  return joseChecks.has(name) || cryptoChecks.has(name);
}

function complaintAboutJose(call: ts.CallExpression): string | undefined {
  if (!joseChecks.has(nameOf(call.expression))) return undefined;
  const named = literalsOf(optionOf(call.arguments[2], 'algorithms'));
  if (named === undefined || named.length === 0) return 'the third argument has no literal `algorithms`';
  const weak = named.find((algorithm) => forgeable.test(algorithm));
  return weak === undefined ? undefined : `\`${weak}\` can be forged`;
}

function complaintAboutCrypto(call: ts.CallExpression, imported: ReadonlySet<string>): string | undefined {
  const { expression } = call;
  const isOurs = ts.isIdentifier(expression)
    ? imported.has(expression.text)
    : ts.isPropertyAccessExpression(expression) && imported.has(expression.expression.getText());
  if (!isOurs || !cryptoChecks.has(nameOf(expression))) return undefined;
  const [algorithm] = call.arguments;
  return algorithm !== undefined && ts.isStringLiteralLike(algorithm) ? undefined : 'the first argument is no literal';
}

function nameOf(expression: ts.Expression): string {
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText();
}

function namesImportedFrom(source: ts.SourceFile, module: RegExp): ReadonlySet<string> {
  const clauses = source.statements
    .filter(ts.isImportDeclaration)
    .filter((one) => ts.isStringLiteral(one.moduleSpecifier) && module.test(one.moduleSpecifier.text))
    .flatMap((one) => (one.importClause === undefined ? [] : [one.importClause]));
  return new Set(clauses.flatMap(namesIn));
}

function namesIn(clause: ts.ImportClause): readonly string[] {
  const whole = clause.name === undefined ? [] : [clause.name.text];
  if (clause.namedBindings === undefined) return whole;
  if (ts.isNamespaceImport(clause.namedBindings)) return [...whole, clause.namedBindings.name.text];
  return [...whole, ...clause.namedBindings.elements.map((element) => element.name.text)];
}

function optionOf(options: ts.Expression | undefined, name: string): ts.Expression | undefined {
  const object = constantOf(options);
  if (object === undefined || !ts.isObjectLiteralExpression(object)) return undefined;
  for (const property of object.properties.toReversed()) {
    if (ts.isSpreadAssignment(property)) return undefined;
    if (ts.isPropertyAssignment(property) && property.name.getText() === name) return property.initializer;
    if (ts.isShorthandPropertyAssignment(property) && property.name.text === name) return property.name;
  }
  return undefined;
}

function literalsOf(list: ts.Expression | undefined): readonly string[] | undefined {
  const array = constantOf(list);
  if (array === undefined || !ts.isArrayLiteralExpression(array)) return undefined;
  const parts = array.elements.map((element) => {
    if (ts.isSpreadElement(element)) return literalsOf(element.expression);
    const value = constantOf(element);
    return value !== undefined && ts.isStringLiteralLike(value) ? [value.text] : undefined;
  });
  return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
}

/** What an expression stands for: itself, or for a name the value of the file's constant of that name. */
function constantOf(expression: ts.Expression | undefined): ts.Expression | undefined {
  if (expression === undefined) return undefined;
  if (ts.isAsExpression(expression) || ts.isSatisfiesExpression(expression)) return constantOf(expression.expression);
  if (!ts.isIdentifier(expression)) return expression;
  for (const statement of expression.getSourceFile().statements.filter(ts.isVariableStatement)) {
    if ((statement.declarationList.flags & ts.NodeFlags.Const) === 0) continue;
    const found = statement.declarationList.declarations.find((one) => one.name.getText() === expression.text);
    if (found !== undefined) return constantOf(found.initializer);
  }
  return undefined;
}
