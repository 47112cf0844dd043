import ts from 'typescript';
import { type CodeRule, inServer } from '../code-rules.ts';
import { isTestFile, type SourceTree } from '../source-tree.ts';
import { lineOf, nodesOf, parseSource, type Site } from '../syntax.ts';

const kindsFile = 'packages/contract/src/config-kinds.ts';
const engineFile = /^packages\/server\/src\/engines\/(\w+)-engine\.ts$/;

/** What is compared, as it stands in the source, and with which name. */
type IsRegistered = (subject: string, name: string) => boolean;

/**
 * An entry of a registry is asked by its flags and methods. Where another file tells it by its name, a new entry is more
 * than its own file and its line.
 */
export function registryRules(sources: SourceTree): readonly CodeRule[] {
  const kinds = namesIn(parseSource(kindsFile, sources.get(kindsFile) ?? ''));
  const engines = new Set([...sources.keys()].flatMap((path) => engineFile.exec(path)?.[1] ?? []));
  return [
    rule('no field type that is told by its name', ['schema/field-types'], (subject) => /\bcolType\b/.test(subject)),
    rule('no kind of config items that is told by its name', ['automation/kinds'], (subject, name) => {
      return /\bkind$/.test(subject) && kinds.has(name);
    }),
    rule('no engine that is told by its name', ['engines', 'store'], (_, name) => engines.has(name)),
  ];
}

function rule(name: string, folders: readonly string[], isDocumented: IsRegistered): CodeRule {
  const isInside = (path: string): boolean => folders.some((folder) => path.includes(`/src/${folder}/`));
  const appliesTo = (path: string): boolean =>
    inServer(path) && !isTestFile(path) && !path.split('/').includes('testing') && !isInside(path);
  return { name, appliesTo, find: (source) => findMatches(source, isDocumented) };
}

function namesIn(source: ts.SourceFile): ReadonlySet<string> {
  return new Set([...nodesOf(source)].filter(ts.isStringLiteralLike).map(({ text }) => text));
}

function* findMatches(source: ts.SourceFile, isDocumented: IsRegistered): Generator<Site> {
  for (const node of nodesOf(source))
    for (const [subject, names] of comparisonsAt(node))
      if (names.some((name) => ts.isStringLiteralLike(name) && isDocumented(subject.getText(), name.text)))
        yield { line: lineOf(node), what: node.getText().split('\n', 1).join() };
}

type Comparison = readonly [subject: ts.Expression, names: readonly ts.Expression[]];

/** `a === 'name'`, `case 'name'` of a switch over `a`, and `['name'].includes(a)`. */
function comparisonsAt(node: ts.Node): readonly Comparison[] {
  if (ts.isBinaryExpression(node) && /^[=!]==?$/.test(node.operatorToken.getText()))
    return [
      [node.left, [node.right]],
      [node.right, [node.left]],
    ];
  if (ts.isCaseClause(node)) return [[node.parent.parent.expression, [node.expression]]];
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return [];
  const { name, expression } = node.expression;
  const [subject] = node.arguments;
  if (name.text !== 'includes' || subject === undefined || !ts.isArrayLiteralExpression(expression)) return [];
  return [[subject, expression.elements]];
}
