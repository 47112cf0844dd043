import ts from 'typescript';
import type { CodeRule } from './code-rules.ts';
import type { SourceTree } from './source-tree.ts';
import { lineOf, nodesOf, type Site } from './syntax.ts';

/** What no file of the repository may say. `word` is split in the source, so that this file does not say it either. */
interface TextRule {
  readonly name: string;
  readonly pattern: RegExp;
  /** Left out, every file. */
  readonly paths?: RegExp;
}

const rules: readonly TextRule[] = [
  {
    name: 'no host of a package registry',
    pattern: words('\\b(registry\\.np', 'mjs\\.|registry\\.ya', 'rnpkg\\.|npm\\.pk', 'g\\.)'),
  },
  { name: 'no path of one machine', pattern: words('(?<![\\w.:/-])/(wo', 'rk|ro', 'ot|tm', 'p|ho', 'me)/') },
  { name: 'nothing that lies outside the repository', pattern: words('\\.\\./sha', 'red\\b') },
  { name: 'no note for later', pattern: words('\\b(TO', 'DO|FIX', 'ME)\\b') },
  {
    name: 'sentences name their subject: the caller, the node, the record',
    pattern: words('\\b([Ww]ho', 'ever|[Nn]o', 'body|[Ss]ome', 'body|[Oo]f it', 'self|[Ww]hat is t', 'old)\\b'),
    paths: /\.(ts|mjs|md|sh)$/,
  },
  {
    name: 'plain words',
    pattern: words('\\b([Aa]', 'new|[Aa]nd the l', 'ike|[Tt]here', 'of|[Hh]ere', 'by|[Tt]old (of|ap', 'art))\\b'),
    paths: /\.(ts|mjs|md|sh)$/,
  },
  {
    name: 'comments in terms of the field',
    pattern: words('^\\s*(//|/?\\*).*\\b(the as', 'ker|was to', 'ld|are to', 'ld|puts? o', 'ff)\\b'),
    paths: /\.tsx?$/,
  },
];

/** Sentences about every line that breaks a rule; none when all hold. */
export function checkTexts(tree: SourceTree): readonly string[] {
  return [...tree].flatMap(([path, text]) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        rules
          .filter(({ pattern, paths }) => paths?.test(path) !== false && pattern.test(line))
          .map(({ name }) => `${path}:${index + 1} breaks "${name}": ${line.trim().slice(0, 120)}`),
      ),
  );
}

/** Names with a part of these: the field has terms for all of them (CONTRIBUTING.md). `word` is split here too. */
const homeMadeNames = [
  words('^_?(as', 'ked|as', 'ker|as', 'king|to', 'ld|te', 'lls?|te', 'lling|sa', 'id)(?![a-z_])'),
  words('(As', 'ked|As', 'ker|As', 'king|To', 'ld|Te', 'lls?|Te', 'lling|Sa', 'id)(?![a-z])'),
  words('^(st', 'anding|st', 'ands|st', 'ood)(?![a-z_])|(St', 'anding|St', 'ands|St', 'ood)(?![a-z])'),
  words('(put', 'Off|bring', 'Forward|Bring', 'Forward)(?![a-z])|^vi', 'sit(s|ed|ing)?(?![a-z])|Vi', 'sit'),
  words('^la', 'nes?(?![a-z])|La', 'nes?(?![a-z])'),
];

/** Names of types that begin with a participle: they name how the thing came, and not the thing. */
const participleTypes = words('^(Ke', 'pt|Kno', 'wn|Ma', 'de|Ta', 'ken|Fo', 'und)(?![a-z])');

/** Words of stored rows and of the texts of the public packages are theirs: `began` and `place` are free. */
export const nameRule: CodeRule = {
  name: 'names that are terms of the field',
  appliesTo: (path) => !/(^|\/)(rivals|generators\/use)\//.test(path),
  find: findHomeMadeNames,
};

function* findHomeMadeNames(source: ts.SourceFile): Generator<Site> {
  for (const node of nodesOf(source)) {
    const name = declaredName(node);
    if (name === undefined) continue;
    const isType = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node);
    const isRefused = homeMadeNames.some((pattern) => pattern.test(name)) || (isType && participleTypes.test(name));
    if (isRefused) yield { line: lineOf(node), what: `the name \`${name}\`` };
  }
}

/** The name that a variable, a parameter, a function or a type is declared by. Properties may be those of messages. */
function declaredName(node: ts.Node): string | undefined {
  const isNamed =
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isBindingElement(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node);
  return isNamed && node.name !== undefined && ts.isIdentifier(node.name) ? node.name.text : undefined;
}

function words(...parts: readonly string[]): RegExp {
  return new RegExp(parts.join(''));
}
