/** The options that choose and order records, as parameters of a list. */
import type { Command } from 'commander';
import type { AppCall } from '../app/app-calls.ts';
import { CommandError } from '../frame/command-error.ts';

export interface ChoiceOptions {
  readonly filter?: string;
  readonly where?: readonly string[];
  readonly q?: string;
  readonly sort?: string;
  readonly view?: string;
}

export function addChoiceOptions(command: Command): Command {
  return addConditionOptions(command).option('--view <name>', 'members of this view');
}

export function addConditionOptions(command: Command): Command {
  return command
    .option('--filter <condition>', "only records that meet a condition in CEL, such as 'amount > 40'")
    .option('--where <field=value...>', 'only records with this value of a field')
    .option('--q <words>', 'only records with these words, where the entity has a search index')
    .option('--sort <fields>', 'such as status,-amount: `-` sorts in descending order');
}

/** @throws CommandError */
export function choiceQuery({ filter, where = [], q, sort, view }: ChoiceOptions): NonNullable<AppCall['query']> {
  const pairs = where.map((pair): readonly [string, string] => {
    const at = pair.indexOf('=');
    if (at < 1) throw new CommandError(`\`--where ${pair}\` is not \`field=value\``, { code: 'wrong_usage' });
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  return { ...Object.fromEntries(pairs), $filter: filter, $q: q, $view: view, ...sortQuery(sort) };
}

function sortQuery(sort: string | undefined): NonNullable<AppCall['query']> {
  if (sort === undefined) return {};
  const fields = sort.split(',').map((field) => field.trim());
  if (fields.some((field) => field.replace(/^-/, '') === ''))
    throw new CommandError(`\`--sort ${sort}\` names no field`, {
      code: 'wrong_usage',
      next: 'write `--sort status,-amount`',
    });
  return {
    $sortby: fields.map((field) => field.replace(/^-/, '')).join(),
    $sortdir: fields.map((field) => (field.startsWith('-') ? 'desc' : 'asc')).join(),
  };
}
