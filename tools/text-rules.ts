import type { SourceTree } from './source-tree.ts';

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

function words(...parts: readonly string[]): RegExp {
  return new RegExp(parts.join(''));
}
