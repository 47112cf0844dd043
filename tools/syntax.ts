import ts from 'typescript';

/** A place in a file, for messages: `line` counts from 1. */
export interface Site {
  readonly line: number;
  readonly what: string;
}

export function parseSource(path: string, text: string): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
}

export function lineOf(node: ts.Node): number {
  return node.getSourceFile().getLineAndCharacterOfPosition(node.getStart()).line + 1;
}

/** A node and all below it, each before its children. */
export function* nodesOf(root: ts.Node): Generator<ts.Node> {
  const ahead = [root];
  for (let node = ahead.pop(); node !== undefined; node = ahead.pop()) {
    yield node;
    const children: ts.Node[] = [];
    ts.forEachChild(node, (child) => {
      children.push(child);
    });
    ahead.push(...children.reverse());
  }
}
