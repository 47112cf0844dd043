/** The files of a seed folder: users, workspaces, keys, and rows by entity. */
import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject } from '../json-object.ts';
import { BrokenRows, readCsv } from '../rows/read-csv.ts';
import { readPeople, type SeedPeople } from './read-people.ts';
import { readUtf8 } from './read-utf8.ts';
import { readYaml } from './read-yaml.ts';

/** A row as its file has it: the cells of CSV are texts still, whose types the definition says. */
export interface RawRow {
  readonly place: string;
  /** The folder of the file; undefined for the workspace that the command is run for. */
  readonly workspace: string | undefined;
  readonly entity: string;
  readonly isCsv: boolean;
  readonly values: JsonObject;
}

export interface SeedFolder extends SeedPeople {
  readonly rows: readonly RawRow[];
  /** The fields by which the rows of an entity are found again. */
  readonly keys: ReadonlyMap<string, readonly string[]>;
  readonly mistakes: readonly string[];
}

const fileBytesMax = 64 * 1_048_576;
/** More of them are an import. */
const rowsMax = 20_000;
const special = ['users.yaml', 'workspaces.yaml', 'keys.yaml'];

/** @param folder `seeds`, as the messages call it. @throws where the folder cannot be read. */
export async function readSeeds(folder: string): Promise<SeedFolder> {
  const mistakes: string[] = [];
  const entries = sorted(readdirSync(folder, { withFileTypes: true }));
  const files = entries.flatMap((entry) => filesOf(folder, entry));
  const names = new Set(entries.map(({ name }) => name));
  const people = readPeople(folder, names, mistakes);
  const keys = names.has('keys.yaml')
    ? readKeys(join(folder, 'keys.yaml'), mistakes)
    : new Map<string, readonly string[]>();
  const rows: RawRow[] = [];
  for (const { path, name, workspace } of files) {
    if (workspace === undefined && special.includes(name)) continue;
    const [, entity, kind] = /^([a-z][a-z0-9_]*)\.(jsonl|csv)$/.exec(name) ?? [];
    if (entity === undefined || kind === undefined) {
      if (!name.startsWith('.'))
        mistakes.push(`${path}: not a seed: a file is called \`<entity>.jsonl\` or \`<entity>.csv\``);
      continue;
    }
    rows.push(...(await readRows({ path, workspace, entity, isCsv: kind === 'csv' }, mistakes)));
    if (rows.length > rowsMax) {
      mistakes.push(`${path}: more than ${rowsMax} rows of seeds: load such files by \`freehold records import\``);
      break;
    }
  }
  return { ...people, keys, rows, mistakes };
}

interface SeedFilePath {
  readonly path: string;
  readonly name: string;
  readonly workspace: string | undefined;
}

/** The file itself, or the files of the folder of a workspace. */
function filesOf(folder: string, entry: Dirent): readonly SeedFilePath[] {
  const path = join(folder, entry.name);
  if (!entry.isDirectory()) return [{ path, name: entry.name, workspace: undefined }];
  const inner = sorted(readdirSync(path, { withFileTypes: true }));
  return inner.map(({ name }) => ({ path: join(path, name), name, workspace: entry.name }));
}

function sorted(entries: readonly Dirent[]): readonly Dirent[] {
  return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

type SeedFile = Omit<RawRow, 'place' | 'values'> & { readonly path: string };

async function readRows(file: SeedFile, mistakes: string[]): Promise<readonly RawRow[]> {
  if (statSync(file.path).size > fileBytesMax) {
    mistakes.push(`${file.path}: longer than 64 MiB: load it by \`freehold records import\``);
    return [];
  }
  const text = readUtf8(file.path, mistakes);
  if (text === undefined) return [];
  return file.isCsv ? csvRows(file, text, mistakes) : jsonRows(file, text, mistakes);
}

function jsonRows({ path, ...file }: SeedFile, text: string, mistakes: string[]): readonly RawRow[] {
  const rows: RawRow[] = [];
  for (const [index, line] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue;
    const place = `${path}:${index + 1}`;
    try {
      const values: unknown = JSON.parse(line);
      if (isObject(values)) rows.push({ ...file, place, values });
      else mistakes.push(`${place}: a line must be a JSON object`);
    } catch (error) {
      mistakes.push(`${place}: not JSON: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return rows;
}

async function csvRows({ path, ...file }: SeedFile, text: string, mistakes: string[]): Promise<readonly RawRow[]> {
  const rows: RawRow[] = [];
  let header: readonly string[] | undefined;
  try {
    for await (const { line, cells } of readCsv([text])) {
      if (header === undefined) header = cells;
      else if (cells.length !== header.length)
        mistakes.push(`${path}:${line}: ${cells.length} cells, and the header names ${header.length}`);
      else rows.push({ ...file, place: `${path}:${line}`, values: valuesOf(header, cells) });
    }
  } catch (error) {
    if (!(error instanceof BrokenRows)) throw error;
    mistakes.push(`${path}: ${error.message}`);
  }
  return rows;
}

/** An empty cell says nothing. */
function valuesOf(header: readonly string[], cells: readonly string[]): JsonObject {
  return Object.fromEntries(header.map((name, index) => [name, cells[index] ?? '']).filter(([, cell]) => cell !== ''));
}

function readKeys(path: string, mistakes: string[]): ReadonlyMap<string, readonly string[]> {
  const content = readYaml(path, mistakes);
  const keys = new Map<string, readonly string[]>();
  if (content === undefined || (Array.isArray(content) && content.length === 0)) return keys;
  if (!isObject(content)) {
    mistakes.push(`${path}: must be a mapping of entities to fields, such as \`customer: [name]\``);
    return keys;
  }
  for (const [entity, given] of Object.entries(content)) {
    const fields: readonly unknown[] = Array.isArray(given) ? given : [given];
    if (fields.length > 0 && fields.every((field) => typeof field === 'string')) keys.set(entity, fields);
    else mistakes.push(`${path}: \`${entity}\` must be a field or a list of fields`);
  }
  return keys;
}
