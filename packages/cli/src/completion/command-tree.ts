import type { Command } from 'commander';
import type { OperatorCommand } from '../frame/root-help.ts';

/** A command, as completions see it. The root has the path `/`, its commands `/login`, theirs `/x/y`. */
export interface CommandNode {
  readonly path: string;
  /** What may follow: words, and what each says. */
  readonly words: readonly { readonly word: string; readonly says: string }[];
}

/** The tree of commands, the root first. What another program runs is known by its name alone. */
export function commandTree(root: Command, others: readonly OperatorCommand[]): readonly CommandNode[] {
  const globals = optionsOf(root);
  const walk = (command: Command, path: string): readonly CommandNode[] => {
    const commands = command.commands.map((inner) => ({ word: inner.name(), says: inner.description() }));
    const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
    const own = command === root ? [{ word: '--version', says: 'shows the version' }] : optionsOf(command);
    const words = [
      ...commands,
      ...(command === root ? others.map(({ name, says }) => ({ word: name, says })) : []),
      ...choices.map((word) => ({ word, says: '' })),
      ...own,
      ...globals,
      { word: '--help', says: 'shows help' },
    ];
    const below = command.commands.flatMap((inner) => walk(inner, `${path === '/' ? '' : path}/${inner.name()}`));
    return [{ path, words }, ...below];
  };
  const help = [{ word: '--help', says: 'shows help' }];
  const elsewhere = others.map(({ name }) => ({ path: `/${name}`, words: help }));
  return [...walk(root, '/'), ...elsewhere].map(assertPlain);
}

function optionsOf(command: Command): CommandNode['words'] {
  return command.options
    .filter(({ hidden, long }) => !hidden && long !== undefined)
    .map(({ long, description }) => ({ word: long ?? '', says: description }));
}

/** The words go into scripts as they are. */
function assertPlain(node: CommandNode): CommandNode {
  for (const text of [node.path, ...node.words.map(({ word }) => word)])
    if (!/^[\w./:-]+$/.test(text)) throw new TypeError(`\`${text}\` cannot be completed`);
  return node;
}
