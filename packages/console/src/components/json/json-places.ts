import { jsonLanguage } from '@codemirror/lang-json';

type SyntaxNode = ReturnType<typeof jsonLanguage.parser.parse>['topNode'];

export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Where the value stands in a JSON text that a pointer (RFC 6901) leads to; where it is missing, what would hold it.
 * @returns the name of a member rather than all of a large value.
 */
export function placeOf(text: string, pointer: string): TextRange {
  let node = valueIn(jsonLanguage.parser.parse(text).topNode);
  let shown: TextRange = { from: 0, to: 0 };
  for (const part of pointer.split('/').slice(1)) {
    const step = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const found = node === undefined ? undefined : childOf(text, node, step);
    if (found === undefined) break;
    ({ node, shown } = found);
  }
  return shown;
}

interface Child {
  readonly node: SyntaxNode | undefined;
  readonly shown: TextRange;
}

function childOf(text: string, node: SyntaxNode, step: string): Child | undefined {
  if (node.name === 'Array') {
    const element = valuesOf(node)[Number(step)];
    return element === undefined ? undefined : { node: element, shown: startOf(text, element) };
  }
  for (const property of node.getChildren('Property')) {
    const name = property.getChild('PropertyName');
    if (name === null || JSON.parse(text.slice(name.from, name.to)) !== step) continue;
    return { node: valueIn(property), shown: { from: name.from, to: property.to } };
  }
  return undefined;
}

const values: ReadonlySet<string> = new Set(['Object', 'Array', 'String', 'Number', 'True', 'False', 'Null']);

function valuesOf(node: SyntaxNode): readonly SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling)
    if (values.has(child.name)) found.push(child);
  return found;
}

function valueIn(node: SyntaxNode): SyntaxNode | undefined {
  return valuesOf(node)[0];
}

/** The first line of a value. */
function startOf(text: string, { from, to }: SyntaxNode): TextRange {
  const end = text.indexOf('\n', from);
  return { from, to: end === -1 ? to : Math.min(end, to) };
}
