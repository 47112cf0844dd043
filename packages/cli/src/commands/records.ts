import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { type Actor, openApp } from '../app/app-calls.ts';
import { CommandError, type ExitCode, exitCodes } from '../frame/command-error.ts';
import type { AddCommands, Context } from '../frame/context.ts';
import { environmentOption } from '../frame/environment-option.ts';
import { isObject } from '../json-object.ts';
import { knownError } from '../management/known-error.ts';
import { writeExport, writeExportFile } from '../records/export-records.ts';
import { contentTypes, encodingHint, type ImportResult, importRecords } from '../records/import-records.ts';
import { addChoiceOptions, addConditionOptions, type ChoiceOptions, choiceQuery } from '../records/list-query.ts';
import { groupRows, recordRows } from '../records/record-table.ts';
import { encodings, type ImportSource, type RowFormat, writeRows } from '../records/row-source.ts';
import { textTable } from '../text-table.ts';

interface ActorOptions {
  readonly env: 'test' | 'prod';
  readonly workspace?: string;
  readonly as?: string;
}

/** `records list`, `aggregate`, `import` and `export`. */
export const addRecordCommands: AddCommands = (program, run) => {
  const records: Command = program
    .command('records')
    .description('lists, aggregates, imports and exports the records of an entity');
  addChoiceOptions(withActor(records.command('list <entity>').description('lists records, the latest first')))
    .option('--fields <names>', 'these members only, with commas between them')
    .option('--limit <n>', 'as many records at most', '50')
    .option('--cursor <cursor>', 'goes on behind an earlier page')
    .action(run<ListOptions, [string]>((context, options, entity) => list(context, options, entity)));
  addConditionOptions(
    withActor(records.command('aggregate <entity>').description('counts, adds up and compares records, in groups')),
  )
    .option('--group <fields>', 'such as status,month(created_at); without it all records are one group')
    .option('--measure <measures>', 'such as count,sum:amount,avg:amount (default: count)')
    .option('--having <condition>', "only groups that meet a condition in CEL, such as 'count > 5'")
    .option('--time-zone <zone>', 'that of days and other parts of time, such as Europe/Berlin (default: UTC)')
    .option('--limit <n>', 'as many groups at most', '100')
    .option('--cursor <cursor>', 'goes on behind an earlier page')
    .action(run<AggregateOptions, [string]>((context, options, entity) => aggregate(context, options, entity)));
  withActor(
    records
      .command('import <entity> [file]')
      .description('writes the rows of a CSV or JSON Lines file, or of standard input'),
  )
    .addOption(formatOption())
    .option('--delimiter <character>', 'what is between the cells of CSV, such as `;` or `tab`', ',')
    .addOption(new Option('--encoding <encoding>', 'encoding of the file').choices(encodings).default('utf-8'))
    .option('--upsert <index>', 'updates records that have the values of a row in this unique index')
    .option('--dry-run', 'says what would be done, and writes nothing')
    .option('--failed <path>', 'writes the rows that were refused to this file (the first 100)')
    .action(
      run<ImportOptions, [string, string | undefined]>((context, options, ...names) =>
        importFile(context, options, names),
      ),
    );
  addChoiceOptions(
    withActor(records.command('export <entity>').description('writes all records to standard output or a file')),
  )
    .addOption(formatOption())
    .option('--out <path>', 'writes to this file, which has its name only when it is complete')
    .action(run<ExportOptions, [string]>((context, options, entity) => exportFile(context, options, entity)));
};

function withActor(command: Command): Command {
  return command
    .addOption(environmentOption())
    .option('--workspace <code>', 'workspace (default: the only one)')
    .option('--as <member>', 'acts as the member with this email or id (default: as the builder, in test)');
}

function formatOption(): Option {
  return new Option('--format <format>', 'format (default: by the name of the file, else jsonl)').choices([
    'csv',
    'jsonl',
  ]);
}

const actorOf = ({ env, workspace, as }: ActorOptions): Actor => ({ env, workspace, as });

interface ListOptions extends ActorOptions, ChoiceOptions {
  readonly fields?: string;
  readonly limit: string;
  readonly cursor?: string;
}

const pageMax = 200;
const limitMax = 10_000;

async function list(context: Context, options: ListOptions, entity: string): Promise<undefined> {
  const limit = Number(options.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > limitMax)
    throw new CommandError(`\`--limit\` must be from 1 to ${limitMax}`, {
      code: 'wrong_usage',
      next: '`records export` writes all records',
    });
  const chosen = { ...choiceQuery(options), $fields: options.fields };
  const app = await openApp(context, actorOf(options));
  const items: Readonly<Record<string, unknown>>[] = [];
  let cursor = options.cursor;
  do {
    const query = { ...chosen, $pagesize: Math.min(pageMax, limit - items.length), $nexttoken: cursor };
    const page = await entityOrNext(entity, () => app.json(`/list/${encodeURIComponent(entity)}`, { query }));
    items.push(...(Array.isArray(page.items) ? page.items.filter(isObject) : []));
    cursor = typeof page.nexttoken === 'string' ? page.nexttoken : undefined;
  } while (cursor !== undefined && items.length < limit);
  const { header, rows } = recordRows(items, options.fields?.split(','));
  const lines = items.length === 0 ? [] : textTable({ header, rows, width: context.terminalWidth });
  context.out.result({ items, nexttoken: cursor ?? null }, lines);
  if (items.length === 0) context.out.note('no records');
  if (cursor !== undefined) context.out.note(`there are more: add \`--limit N\`, or \`--cursor ${cursor}\``);
}

interface AggregateOptions extends ActorOptions, ChoiceOptions {
  readonly group?: string;
  readonly measure?: string;
  readonly having?: string;
  readonly timeZone?: string;
  readonly limit: string;
  readonly cursor?: string;
}

const groupsMax = 1000;

async function aggregate(context: Context, options: AggregateOptions, entity: string): Promise<undefined> {
  const limit = Number(options.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > groupsMax)
    throw new CommandError(`\`--limit\` must be from 1 to ${groupsMax}`, { code: 'wrong_usage' });
  const { group, measure, having, timeZone, cursor } = options;
  const terms = { $group: group, $measure: measure, $having: having, $time_zone: timeZone };
  const query = { ...choiceQuery(options), ...terms, $pagesize: limit, $nexttoken: cursor };
  const app = await openApp(context, actorOf(options));
  const page = await entityOrNext(entity, () => app.json(`/aggregate/${encodeURIComponent(entity)}`, { query }));
  const items = Array.isArray(page.items) ? page.items.filter(isObject) : [];
  const { header, rows } = groupRows(items);
  const lines = items.length === 0 ? [] : textTable({ header, rows, width: context.terminalWidth });
  context.out.result(page, lines);
  if (items.length === 0) context.out.note('no groups');
  for (const note of Array.isArray(page.notes) ? page.notes : []) context.out.note(String(note));
  if (page.partial === true)
    context.out.note(`not all records were looked at (${String(page.partial_reason)}): choose fewer`);
  if (typeof page.nexttoken === 'string')
    context.out.note(`there are more: add \`--limit N\`, or \`--cursor ${page.nexttoken}\``);
}

interface ImportOptions extends ActorOptions {
  readonly format?: RowFormat;
  readonly delimiter: string;
  readonly encoding: ImportSource['encoding'];
  readonly upsert?: string;
  readonly dryRun?: true;
  readonly failed?: string;
}

async function importFile(
  context: Context,
  options: ImportOptions,
  [entity, file]: readonly [string, string | undefined],
): Promise<ExitCode> {
  const source = sourceOf(context, options, file);
  const app = await openApp(context, actorOf(options));
  const query = { upsert: options.upsert, dry_run: options.dryRun === true ? 'true' : undefined };
  const progress = context.out.progress;
  const result = await entityOrNext(entity, () => importRecords({ app, entity, source, query, progress }));
  const failed = options.failed;
  if (failed !== undefined && result.errors.length > 0)
    await writeRows(source, new Set(result.errors.map(({ row }) => row)), resolve(context.cwd, failed));
  const { errors, ignored } = result;
  for (const { row, errors: found } of errors)
    context.out.note(`row ${row}: ${found.map(({ pointer, message }) => `${pointer} ${message}`.trim()).join('; ')}`);
  if (source.encoding === 'utf-8' && errors.some(({ errors: found }) => found.some(isNotUtf8)))
    context.out.note(encodingHint);
  if (result.failed > errors.length)
    context.out.note(`… and ${result.failed - errors.length} more rows that were refused`);
  if (ignored.length > 0) context.out.note(`ignored, because the platform sets them: ${ignored.join(', ')}`);
  if (failed !== undefined && errors.length > 0) context.out.note(`${errors.length} refused rows are in ${failed}`);
  if (result.error !== undefined) context.out.note(`the import ended early: ${result.error.message}`);
  context.out.result(result, [summaryOf(result)]);
  if (result.error !== undefined) return exitCodes.failed;
  return result.failed > 0 ? exitCodes.answerIsNo : exitCodes.done;
}

function isNotUtf8({ code, message }: ImportResult['errors'][number]['errors'][number]): boolean {
  return code === 'invalid_utf8' || message.includes('not valid UTF-8');
}

function sourceOf({ cwd, stdin }: Context, options: ImportOptions, file: string | undefined): ImportSource {
  const { format, failed, encoding } = options;
  const path = file === undefined || file === '-' ? undefined : resolve(cwd, file);
  if (path !== undefined && !existsSync(path))
    throw new CommandError(`there is no file ${file}`, { code: 'wrong_usage' });
  if (path === undefined && failed !== undefined)
    throw new CommandError('`--failed` needs a file: rows of standard input cannot be read again', {
      code: 'wrong_usage',
    });
  const kind = format ?? formatOfName(path ?? '');
  if (kind === undefined)
    throw new CommandError(`${file ?? 'standard input'} does not say its format`, {
      code: 'wrong_usage',
      next: 'add `--format csv` or `--format jsonl`',
    });
  return { path, stdin, format: kind, encoding, delimiter: delimiterOf(kind, options.delimiter) };
}

function delimiterOf(format: RowFormat, given: string): string {
  const delimiter = given === 'tab' || given === '\\t' ? '\t' : given;
  if (!/^[\t\x20-\x7e]$/.test(delimiter) || delimiter === '"')
    throw new CommandError(`\`${given}\` is no delimiter: it must be one ASCII character, or \`tab\``, {
      code: 'wrong_usage',
    });
  if (format === 'jsonl' && delimiter !== ',')
    throw new CommandError('`--delimiter` is for CSV, and the file is JSON Lines', { code: 'wrong_usage' });
  return delimiter;
}

function formatOfName(path: string): RowFormat | undefined {
  if (/\.csv$/i.test(path)) return 'csv';
  return /\.(jsonl|ndjson|jsonlines)$/i.test(path) ? 'jsonl' : undefined;
}

function summaryOf({ rows, created, updated, failed, dry_run }: ImportResult): string {
  const figures = `${rows} rows: ${created} created, ${updated} updated, ${failed} refused`;
  return dry_run ? `${figures} (a dry run: nothing was written)` : figures;
}

interface ExportOptions extends ActorOptions, ChoiceOptions {
  readonly format?: RowFormat;
  readonly out?: string;
}

async function exportFile(context: Context, options: ExportOptions, entity: string): Promise<undefined> {
  const format = options.format ?? formatOfName(options.out ?? '') ?? 'jsonl';
  if (options.out === undefined && context.out.isJson)
    throw new CommandError('with `--json` an export needs `--out FILE`', { code: 'wrong_usage' });
  const query = { ...choiceQuery(options), format };
  const app = await openApp(context, actorOf(options));
  const response = await entityOrNext(entity, () =>
    app.send(`/export/${encodeURIComponent(entity)}`, { query, accept: contentTypes[format] }),
  );
  if (options.out === undefined) {
    await writeExport(response, context.stdout, false);
    return;
  }
  await writeExportFile(response, resolve(context.cwd, options.out));
  context.out.result({ entity, format, path: options.out }, [`exported \`${entity}\` to ${options.out}`]);
}

/** An app answers 404 for an entity that it does not have. */
async function entityOrNext<T>(entity: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const known = knownError(error);
    if (known?.details.code !== 'not_found') throw error;
    throw new CommandError(`the app has no entity \`${entity}\``, {
      ...known.details,
      next: '`freehold entity list` names those that there are',
    });
  }
}
