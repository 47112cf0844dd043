/** Every block of code in the documents is run, or read by its language, or says here why it is not run. */
import { execFileSync } from 'node:child_process';
import ts from 'typescript';
import type { SourceTree } from '../source-tree.ts';

interface Block {
  readonly line: number;
  readonly language: string;
  /** What stands behind the language. */
  readonly mark: string;
  readonly text: string;
}

/** Blocks that tests paste and run, and what they print (`page-examples.ts`). */
const run: readonly string[] = ['sh runnable', 'ts runnable', 'tsx runnable', 'json reply', 'text reply'];

/** The way blocks are held to their language where they are not run. */
const read: Readonly<Record<string, (text: string) => string | undefined>> = {
  json: (text) => messageOf(() => JSON.parse(text)),
  sh: (text) => messageOf(() => execFileSync('sh', ['-n'], { input: text, stdio: ['pipe', 'ignore', 'pipe'] })),
  ts: (text) => syntaxOf(text, 'block.ts'),
  tsx: (text) => syntaxOf(text, 'block.tsx'),
};

/** Why a block is not run, by page and language. JSON without a mark is an excerpt that is read and no reply. */
const reasons: Readonly<Record<string, string>> = {
  'README.md sh': 'starts the platform and runs its tests, which a test of the first run does in a fresh clone',
  'README.md ': 'what a start prints, which a test of the first run compares',
  'docs/get-started.md sh': 'starts the platform, which the tests of all pages do',
  'docs/react.md sh': 'installs a release, which a test of the release does',
  'docs/react.md tsx': 'is compiled with the others as one module, by a test of the package',
  'packages/react/README.md tsx': 'an excerpt of the guide, which is compiled',
  'examples/helpdesk/README.md sh': 'starts the example, which its test in a browser does',
  'docs/command-line.md sh': 'names pipelines, files and databases of the reader; tests run each command',
  'docs/command-line.md bash': 'belongs to the settings of a shell; a test loads these scripts',
  'docs/command-line.md yaml': 'files of a project of the reader; tests read such files',
  'docs/command-line.md text': 'what a start prints, with ports of its own',
  'docs/client.md sh': 'installs a release, which a test of the release does',
  'docs/client.md ts': 'needs the types that a command writes from definitions',
  'docs/operate.md sh': 'commands of an operator with addresses, mail and databases of his own; tests run each command',
  'docs/operate.md ': 'what such a command prints',
  'docs/operate.md yaml': 'settings of Prometheus',
  'docs/operate.md nginx': 'settings of nginx',
  'docs/verify-tokens.md ts': 'an excerpt of a service of the reader; a test verifies tokens by it',
  'docs/verify-tokens.md yaml': 'settings of Envoy',
  'docs/verify-tokens.md nginx': 'settings of nginx',
  'docs/promotion.md sh': 'a pipeline with keys of its own; a test runs the script',
  'docs/scale.md sh': 'starts on other databases and clusters',
  'docs/upgrade.md sh': 'replaces the program of a running installation',
  'deploy/README.md sh': 'installs services and applies to clusters',
  'packages/client/README.md ts': 'names an address and an account of the reader',
  'packages/server/src/testing/older-data/README.md sh': 'makes a fixture of a commit that is still to come',
  'CONTRIBUTING.md sh': 'runs the tests themselves',
  'tools/release/README.md sh': 'installs and starts a release, which a test of the release does',
  'packages/console/README.md sh': 'starts and builds the console, which the gate does',
  'packages/console/README.md ts': 'an excerpt of a test',
  'packages/console/README.md tsx': 'an excerpt of a screen',
};

/** Sentences about every block that nothing holds to what it says. */
export function checkCodeBlocks(
  tree: SourceTree,
  known: Readonly<Record<string, string>> = reasons,
): readonly string[] {
  const used = new Set<string>();
  const found = [...tree]
    .filter(([path]) => path.endsWith('.md'))
    .flatMap(([path, text]) =>
      blocksOf(text).flatMap((block) => {
        const { line, language, mark } = block;
        if (run.includes(`${language} ${mark}`)) return [];
        if (mark !== '') return [`${path}:${line} has an unknown mark: ${language} ${mark}`];
        const key = `${path} ${language}`;
        used.add(key);
        if (language !== 'json' && !Object.hasOwn(known, key))
          return [`${path}:${line} is neither run nor in the table of reasons: ${language || 'no language'}`];
        const fault = read[language]?.(block.text);
        return fault === undefined ? [] : [`${path}:${line} is no ${language}: ${fault}`];
      }),
    );
  const unused = Object.keys(known).filter((key) => !used.has(key));
  return [...found, ...unused.map((key) => `the table of reasons names ${key}, and there is no such block`)];
}

function blocksOf(page: string): readonly Block[] {
  const blocks: Block[] = [];
  const lines = page.split('\n');
  let open:
    | { readonly line: number; readonly indent: string; readonly info: string; readonly text: string[] }
    | undefined;
  for (const [index, line] of lines.entries()) {
    const [, indent = '', info] = /^( *)```(.*)$/.exec(line) ?? [];
    if (open === undefined) {
      if (info !== undefined) open = { line: index + 1, indent, info: info.trim(), text: [] };
    } else if (info === '' && indent === open.indent) {
      const [language = '', ...mark] = open.info.split(' ');
      blocks.push({ line: open.line, language, mark: mark.join(' '), text: open.text.join('\n') });
      open = undefined;
    } else open.text.push(line.slice(open.indent.length));
  }
  return blocks;
}

function syntaxOf(text: string, fileName: string): string | undefined {
  const { diagnostics = [] } = ts.transpileModule(text, {
    fileName,
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, jsx: ts.JsxEmit.Preserve },
  });
  const [first] = diagnostics;
  return first && ts.flattenDiagnosticMessageText(first.messageText, ' ');
}

function messageOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 200) : String(error);
  }
}
