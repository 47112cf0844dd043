import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { parse } from 'yaml';
import { definitionOf } from '../entities/field-text.ts';
import { CommandError } from '../frame/command-error.ts';
import type { AddCommands, Context } from '../frame/context.ts';
import { environmentOption } from '../frame/environment-option.ts';
import { isObject, type JsonObject } from '../json-object.ts';
import { knownError } from '../management/known-error.ts';
import { assertReaches } from '../profiles/target.ts';
import { textTable } from '../text-table.ts';

type Environment = 'test' | 'prod';

interface ReadOptions {
  readonly env: Environment;
}

/** `entity list`, `show`, `create` and `delete`. */
export const addEntityCommands: AddCommands = (program, run) => {
  const entity: Command = program.command('entity').description('lists, shows, creates and deletes entities');
  entity
    .command('list')
    .description('lists the entities, with the number of their records')
    .addOption(environmentOption())
    .action(run<ReadOptions, []>((context, { env }) => list(context, env)));
  entity
    .command('show <name>')
    .description('shows the fields and indexes of an entity')
    .addOption(environmentOption())
    .action(run<ReadOptions, [string]>((context, { env }, name) => show(context, env, name)));
  entity
    .command('create <name>')
    .description('creates an entity in test')
    .option(
      '--field <name:type:hints...>',
      'such as title:string:required, status:enum=open|paid, customer_id:lookup=customer',
    )
    .option('--file <path>', 'definition as JSON or YAML')
    .option('--dry-run', 'checks the definition, and creates nothing')
    .action(run<CreateOptions, [string]>((context, options, name) => create(context, options, name)));
  entity
    .command('delete <name>')
    .description('deletes an entity of test with all its records')
    .action(run<object, [string]>((context, _, name) => remove(context, name)));
};

async function list(context: Context, env: Environment): Promise<undefined> {
  assertReaches(context.target(), env);
  const { items } = await context.management().call('listEntities', { query: { env } });
  const rows = items.map(({ name, records, lookups }) => [
    name,
    String(records),
    lookups.map(({ field, entity }) => `${field} → ${entity}`).join(', '),
  ]);
  const width = context.terminalWidth;
  context.out.result(
    { items },
    items.length === 0 ? [] : textTable({ header: ['NAME', 'RECORDS', 'REFERS TO'], rows, width }),
  );
  if (items.length === 0)
    context.out.note(`${env} has no entities: \`freehold entity create <name> --field title:string\` makes one`);
}

async function show(context: Context, env: Environment, name: string): Promise<undefined> {
  assertReaches(context.target(), env);
  const configs = await entityOrNext(() =>
    context.management().call('readEntity', { query: { env, entityName: name } }),
  );
  const { create, indexes } = configs;
  const definition: unknown = create;
  const fields =
    isObject(definition) && Array.isArray(definition.UpdateParams) ? definition.UpdateParams.filter(isObject) : [];
  const rows = fields.map((field) => [String(field.name), String(field.colType ?? 'string'), hintsOf(field)]);
  context.out.result(configs, [
    ...textTable({ header: ['FIELD', 'TYPE', 'HINTS'], rows, width: context.terminalWidth }),
    ...(indexes.length === 0 ? [] : ['']),
    ...indexes.map(({ kind, name: index, state }) => `index ${index} (${kind}, ${state})`),
  ]);
}

const structural = ['name', 'colType'];

function hintsOf(field: JsonObject): string {
  return Object.entries(field)
    .filter(([hint, value]) => !structural.includes(hint) && value !== false && value !== undefined)
    .map(([hint, value]) =>
      value === true ? hint : `${hint}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
    .join(' ');
}

interface CreateOptions {
  readonly field?: readonly string[];
  readonly file?: string;
  readonly dryRun?: true;
}

async function create(context: Context, { field, file, dryRun }: CreateOptions, name: string): Promise<undefined> {
  if ((field === undefined) === (file === undefined))
    throw new CommandError('give the fields by `--field`, or the definition by `--file`', { code: 'wrong_usage' });
  assertReaches(context.target(), 'test');
  const definition =
    file === undefined ? definitionOf(name, field ?? []) : readDefinition(resolve(context.cwd, file), name);
  const reply = await context.management().call('defineEntity', {
    params: { apiname: `create-${name}` },
    query: { dry_run: dryRun === true },
    // The verdict of the platform on a wrong definition is clearer than a check of the same rules here.
    body: definition as never,
  });
  for (const warning of reply.warnings ?? []) context.out.note(`warning: ${warning}`);
  const done = dryRun === true ? 'the definition is good; nothing was created' : `created \`${name}\` in test`;
  context.out.result(reply, [done]);
}

function readDefinition(path: string, name: string): JsonObject {
  const content = parsed(path);
  if (!isObject(content))
    throw new CommandError(`${path} has no definition: it must be a mapping`, { code: 'wrong_usage' });
  if (content.entityName !== undefined && content.entityName !== name)
    throw new CommandError(`${path} defines \`${String(content.entityName)}\`, not \`${name}\``, {
      code: 'wrong_usage',
    });
  return { ...content, entityName: name };
}

function parsed(path: string): unknown {
  try {
    // JSON is YAML too.
    return parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw new CommandError(`${path} cannot be read: ${why}`, { code: 'wrong_usage' });
  }
}

async function remove(context: Context, name: string): Promise<undefined> {
  const target = context.target();
  assertReaches(target, 'test');
  const { items } = await context.management().call('listEntities', { query: { env: 'test' } });
  const found = items.find((entity) => entity.name === name);
  if (found === undefined) throw unknownEntity(name);
  const question = `Delete \`${name}\` of test, with its definition and ${found.records} records?`;
  await context.ask.confirmByName(target.org, question);
  await context.management().call('removeEntity', { query: { env: 'test', entityname: name } });
  context.out.result({ entity: name, records: found.records, deleted: true }, [
    `deleted \`${name}\`; its ${found.records} records are removed in the background`,
  ]);
}

function unknownEntity(name: string): CommandError {
  return new CommandError(`there is no entity \`${name}\``, {
    code: 'not_found',
    next: '`freehold entity list` names those that there are',
  });
}

async function entityOrNext<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const known = knownError(error);
    if (known?.details.code !== 'not_found') throw error;
    throw new CommandError(known.message, {
      ...known.details,
      next: '`freehold entity list` names those that there are',
    });
  }
}
