import type { CommandNode } from './command-tree.ts';

/** Scripts that complete words of `freehold`, by shell. They hold the whole tree, and start nothing. */
export const shellScripts: Readonly<Record<string, (tree: readonly CommandNode[]) => string>> = { bash, zsh, fish };

function bash(tree: readonly CommandNode[]): string {
  return `# Completion of freehold for bash: add to ~/.bashrc
#   source <(freehold completion bash)
_freehold() {
  local path=/ next words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${path%/}/\${COMP_WORDS[i]}"
    case "$next" in
      ${pathsBelow(tree).join(' | ') || "''"}) path=$next ;;
    esac
  done
  case "$path" in
${tree.map(({ path, words }) => `    ${path}) words="${words.map(({ word }) => word).join(' ')}" ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _freehold freehold
`;
}

function zsh(tree: readonly CommandNode[]): string {
  const entry = ({ word, says }: CommandNode['words'][number]): string =>
    quoted(`${word.replaceAll(':', '\\:')}${says === '' ? '' : `:${says}`}`);
  return `#compdef freehold
# Completion of freehold for zsh: add to ~/.zshrc, behind compinit
#   source <(freehold completion zsh)
_freehold() {
  local at=/ next word
  local -a entries
  for word in "\${(@)words[2,CURRENT-1]}"; do
    next="\${at%/}/$word"
    case "$next" in
      ${pathsBelow(tree).join(' | ') || "''"}) at=$next ;;
    esac
  done
  case "$at" in
${tree.map(({ path, words }) => `    ${path}) entries=(${words.map(entry).join(' ')}) ;;`).join('\n')}
  esac
  _describe freehold entries || _files
}
if [ "\${funcstack[1]}" = _freehold ]; then _freehold "$@"; else compdef _freehold freehold; fi
`;
}

function fish(tree: readonly CommandNode[]): string {
  const lines = tree.flatMap(({ path, words }) =>
    words.map(({ word, says }) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`;
      return `complete -c freehold -n '__freehold_at ${path}' ${what}${says === '' ? '' : ` -d ${quoted(says)}`}`;
    }),
  );
  return `# Completion of freehold for fish: save as ~/.config/fish/completions/freehold.fish
function __freehold_at
  set -l at /
  for word in (commandline -opc)[2..-1]
    set -l next (string trim -r -c / -- $at)/$word
    if contains -- $next ${pathsBelow(tree).join(' ')}
      set at $next
    end
  end
  test $at = $argv[1]
end
complete -c freehold -n '__freehold_at /' -f
${lines.join('\n')}
`;
}

function pathsBelow(tree: readonly CommandNode[]): readonly string[] {
  return tree.map(({ path }) => path).filter((path) => path !== '/');
}

/** All three shells read this form alike. */
function quoted(text: string): string {
  return `'${text
    .replaceAll('\\:', '\u0000')
    .replaceAll(/['\\\n]/g, ' ')
    .replaceAll('\u0000', '\\:')}'`;
}
