import ts from 'typescript';

/** A place in a file, for messages: `line` counts from 1. */
export interface Site {
  readonly line: number;
  readonly what: string;
}

/** By path: tests that share a process look at the same files, and parsing them takes longer than all else. */
const parsed = new Map<string, ts.SourceFile>();

export function parseSource(path: string, text: string): ts.SourceFile {
  const known = parsed.get(path);
  if (known?.text === text) return known;
  // Comments are no part of what is looked at here, and parsing them takes a third of the time.
  const options = { languageVersion: ts.ScriptTarget.ESNext, jsDocParsingMode: ts.JSDocParsingMode.ParseNone };
  const source = ts.createSourceFile(path, text, options, true);
  parsed.set(path, source);
  return source;
}

export function lineOf(node: ts.Node): number {
  return node.getSourceFile().getLineAndCharacterOfPosition(node.getStart()).line + 1;
}

/** Of the last file that was asked for: many rules go through each. */
let last: { readonly root: ts.Node; readonly nodes: readonly ts.Node[] } | undefined;

/** A node and all below it, each before its children. */
export function nodesOf(root: ts.Node): readonly ts.Node[] {
  if (last?.root === root) return last.nodes;
  const nodes: ts.Node[] = [];
  const walk = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, walk);
  };
  walk(root);
  if (ts.isSourceFile(root)) last = { root, nodes };
  return nodes;
}
