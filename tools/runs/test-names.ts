import ts from 'typescript';
import { nodesOf, parseSource } from '../syntax.ts';

/** What the tests of a file promise, in its order: their names. A part that is made when they run is `…`. */
export function testNames(path: string, text: string): readonly string[] {
  return nodesOf(parseSource(path, text)).flatMap((node) => {
    if (!ts.isCallExpression(node) || !/^(test|it)(\.\w+)?$/.test(node.expression.getText())) return [];
    const [name] = node.arguments;
    if (name === undefined) return [];
    if (ts.isStringLiteralLike(name)) return [name.text];
    if (!ts.isTemplateExpression(name)) return ['…'];
    return [name.head.text + name.templateSpans.map(({ literal }) => `…${literal.text}`).join('')];
  });
}
