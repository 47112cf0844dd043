import ts from 'typescript';
import { type CodeRule, inServer } from './code-rules.ts';
import { isTestFile } from './source-tree.ts';
import { lineOf, nodesOf, type Site } from './syntax.ts';

const source = 'packages/server/src/';

/** Files that believe a JSON text, and why it needs no table of `store/table.ts`. */
const mayBelieveJson: ReadonlyMap<string, string> = new Map([
  ['records/record.ts', 'records are checked before they are written, and read by the thousand'],
  ['config/reference-map.ts', 'it is what the codec of its table reads by'],
  ['store/read-where.ts', 'a question is asked of it as of any JSON'],
  ['store/postgres/query/selecting.ts', 'a question is asked of it as of any JSON'],
  ['audit/audit-log.ts', 'a cursor opens only where the platform has sealed it'],
  ['metering/metering.ts', 'the key of a run that is shared, written in the same call'],
  ['records/import-export/dry-run.ts', 'what a dry run keeps in memory'],
  ['records/import-export/csv.ts', 'the text of a view that has just been made'],
  ['telemetry/open-log.ts', 'a line that this process has written'],
  ['demo/show-demo.ts', 'what the first start has noted'],
  ['lib/installation.ts', 'our own package.json'],
  ['gateway/site-files.ts', 'the list in a file of the same release'],
  ['composition/operations/diagnoses.ts', 'what the command of the same release has printed'],
  ['commands/keys.ts', 'what the platform answers to its own command'],
  ['commands/plan.ts', 'what the platform answers to its own command'],
  ['commands/command-line.ts', 'what the platform answers to its own command'],
]);

/** Files that look at a refused commit themselves, and why. */
const mayCatchConflicts: ReadonlyMap<string, string> = new Map([
  ['store/transact.ts', 'everything else asks it'],
  ['telemetry/watch-store.ts', 'it counts them'],
  ['telemetry/work-metrics.ts', 'it counts failures, and these are none'],
  ['records/repeated-requests.ts', 'it is a scope itself, and passes on what is not about its own change'],
  ['commands/recount.ts', 'it tells an operator to stop the platform'],
]);

/**
 * A stored row is parsed where it gets its type, by a table, which finds damage. Elsewhere JSON is `unknown` until it
 * is checked.
 */
export const believedJsonRule: CodeRule = {
  name: 'no JSON text that is believed but by a table',
  appliesTo: (path) => inSource(path) && !mayBelieveJson.has(path.slice(source.length)),
  find: findBelievedJson,
};

/** Planning again, how often, and what is answered then stand in one place. */
export const conflictRule: CodeRule = {
  name: 'no conflict that is caught but by transact',
  appliesTo: (path) => inSource(path) && !mayCatchConflicts.has(path.slice(source.length)),
  find: findCaughtConflicts,
};

function inSource(path: string): boolean {
  return inServer(path) && !isTestFile(path) && !path.split('/').includes('testing');
}

/** What is returned has the type that the function says, so a reader sees it there. */
function* findBelievedJson(file: ts.SourceFile): Generator<Site> {
  for (const node of nodesOf(file)) {
    if (!ts.isCallExpression(node) || node.expression.getText() !== 'JSON.parse') continue;
    const { parent } = node;
    const isUnknown =
      ((ts.isVariableDeclaration(parent) || ts.isAsExpression(parent)) &&
        parent.type?.kind === ts.SyntaxKind.UnknownKeyword) ||
      ts.isReturnStatement(parent) ||
      ts.isArrowFunction(parent);
    if (!isUnknown) yield { line: lineOf(node), what: parent.getText().slice(0, 100) };
  }
}

function* findCaughtConflicts(file: ts.SourceFile): Generator<Site> {
  for (const node of nodesOf(file)) {
    const isTested =
      ts.isBinaryExpression(node) &&
      node.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword &&
      node.right.getText() === 'Conflict';
    if (isTested) yield { line: lineOf(node), what: node.getText() };
  }
}
