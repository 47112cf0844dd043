import ts from 'typescript';
import { lineOf, nodesOf, parseSource } from '../syntax.ts';

/**
 * Functions that are passed on before a part is made that they use: arrow functions that name a variable which an enclosing
 * function declares behind them. As `line: name`.
 */
export function lateBindings(path: string, text: string): readonly string[] {
  return nodesOf(parseSource(path, text))
    .filter(ts.isArrowFunction)
    .flatMap((arrow) => lateNames(arrow).map((name) => `${lineOf(arrow)}: ${name}`));
}

/** A name means the nearest declaration around it. */
function lateNames(arrow: ts.ArrowFunction): readonly string[] {
  const inside = nodesOf(arrow);
  const used = new Set(inside.filter(isUse).map(({ text }) => text));
  for (const name of inside.filter(declares).flatMap((one) => namesOf(one.name))) used.delete(name);
  const late: string[] = [];
  for (let around: ts.Node = arrow.parent; !ts.isSourceFile(around); around = around.parent)
    for (const declaration of declaredIn(around))
      for (const name of namesOf(declaration.name))
        if (used.delete(name) && declaration.pos >= arrow.end) late.push(name);
  return late;
}

function declares(node: ts.Node): node is ts.VariableDeclaration | ts.ParameterDeclaration {
  return ts.isVariableDeclaration(node) || ts.isParameter(node);
}

function declaredIn(node: ts.Node): readonly (ts.VariableDeclaration | ts.ParameterDeclaration)[] {
  if (ts.isFunctionLike(node)) return node.parameters;
  if (!ts.isBlock(node)) return [];
  return node.statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) => declarationList.declarations);
}

function isUse(node: ts.Node): node is ts.Identifier {
  if (!ts.isIdentifier(node)) return false;
  const { parent } = node;
  return !((ts.isPropertyAccessExpression(parent) || ts.isPropertyAssignment(parent)) && parent.name === node);
}

function namesOf(name: ts.BindingName): readonly string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? namesOf(element.name) : []));
}
