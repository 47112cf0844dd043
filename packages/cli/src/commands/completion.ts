import { Argument } from 'commander';
import { commandTree } from '../completion/command-tree.ts';
import { shellScripts } from '../completion/shell-scripts.ts';
import type { AddCommands } from '../frame/context.ts';

/** `completion`: a script that completes the words of all commands, made from their tree. */
export const addCompletionCommand: AddCommands = (program, run) => {
  program
    .command('completion')
    .description('prints a script that completes words in your shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(shellScripts)))
    .action(
      run<unknown, [string]>((context, _, shell) => {
        const script = shellScripts[shell]?.(commandTree(program, context.others)) ?? '';
        context.out.result({ shell, script }, script.trimEnd().split('\n'));
        return undefined;
      }),
    );
};
