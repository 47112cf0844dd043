/** The columns of a list: what records show by the list's default view, and what may be asked of each. */
import { type Definition, definitionOf, type Field } from '../../entities/definition.ts';
import type { Entity } from '../../entities/queries.ts';

/** The way values are shown and compared. */
export type Kind =
  | 'id'
  | 'text'
  | 'number'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'choice'
  | 'lookup'
  | 'lookups'
  | 'list'
  | 'json'
  | 'secret';

export interface Column {
  /** The member of the records. */
  readonly name: string;
  /** The field that the API is asked by; the view may show it under another name. */
  readonly field: string;
  readonly kind: Kind;
  /** The way its values are stored, where the view casts them. */
  readonly stored?: Kind;
  /** The entity that a lookup refers to. */
  readonly entity?: string;
  readonly choices?: readonly string[];
}

const kinds: Readonly<Record<string, Kind>> = {
  number: 'number',
  integer: 'number',
  autoincrement: 'number',
  boolean: 'boolean',
  date: 'date',
  datetime: 'datetime',
  guid: 'id',
  enum: 'choice',
  array: 'list',
  json: 'json',
  encrypted: 'secret',
};

/** The members of every record beside its fields. */
const ofRecord: Readonly<Record<string, Kind>> = {
  id: 'id',
  created_at: 'datetime',
  updated_at: 'datetime',
  created_by: 'id',
  updated_by: 'id',
  version: 'number',
};

/** Whether a name is no field, but what every record has. */
export function isOfRecord(name: string): boolean {
  return ofRecord[name] !== undefined;
}

interface Shown {
  readonly name: string;
  readonly as?: string;
  readonly cast?: string;
  readonly lookup?: unknown;
}

/** The columns in the order of the view, behind them the fields whose values can never be read. */
export function columnsOf(entity: Entity): readonly Column[] {
  const fields = fieldsOf(entity);
  const secret = [...fields.values()].filter(({ colType }) => colType === 'encrypted');
  const named = new Set<string>();
  const columns = [...shownBy(entity), ...secret].map((shown) => columnOf(shown, fields.get(shown.name)));
  return columns.filter(({ name }) => !named.has(name) && named.add(name));
}

function fieldsOf({ create }: Pick<Entity, 'create'>): ReadonlyMap<string, Field> {
  const { UpdateParams = [] }: Definition = definitionOf(create);
  return new Map(UpdateParams.map((field) => [field.name, field]));
}

function shownBy({ list }: Entity): readonly Shown[] {
  const views = list.Views as { readonly default?: { readonly fields?: readonly Shown[] } } | undefined;
  return views?.default?.fields ?? [];
}

function columnOf({ name, as = name, cast, lookup }: Shown, field: Field | undefined): Column {
  const column = { name: as, field: name };
  if (lookup !== undefined) return { ...column, kind: 'json' };
  if (field === undefined) return { ...column, kind: ofRecord[name] ?? 'text' };
  if (field.lookup !== undefined) return { ...column, kind: 'lookup', entity: field.lookup.entity };
  const many = field.items?.lookup;
  if (many !== undefined) return { ...column, kind: 'lookups', entity: many.entity };
  const stored = kindOf(field);
  const kinded = cast === undefined ? { kind: stored } : { kind: kinds[cast] ?? 'text', stored };
  return { ...column, ...kinded, ...(field.enumValues === undefined ? {} : { choices: field.enumValues }) };
}

function kindOf({ colType = 'string', formula }: Field): Kind {
  const type = typeof formula === 'object' ? formula.type : colType;
  return kinds[type] ?? 'text';
}

/** The number of columns that are shown before the user has chosen. */
const shownAtFirst = 16;
const hiddenAtFirst: ReadonlySet<string> = new Set(['created_by', 'updated_by', 'version']);

/** The names of the columns that are shown until the user chooses others. */
function firstColumns(columns: readonly Column[]): readonly string[] {
  const names = columns.map(({ name }) => name).filter((name) => !hiddenAtFirst.has(name));
  const ofFields = names.filter((name) => !isOfRecord(name)).slice(0, shownAtFirst);
  return names.filter((name) => isOfRecord(name) || ofFields.includes(name));
}

/** The columns that a text names, `number,subject`; without a text those that are shown at first. */
export function chosenColumns(columns: readonly Column[], text: string | undefined): readonly Column[] {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const named = (names: readonly string[]) => names.flatMap((name) => byName.get(name) ?? []);
  const chosen = named([...new Set(text?.split(','))]);
  return chosen.length > 0 ? chosen : named(firstColumns(columns));
}

/** In pixels. */
const widths: Readonly<Record<Kind, number>> = {
  id: 132,
  text: 240,
  number: 104,
  boolean: 88,
  date: 120,
  datetime: 172,
  choice: 120,
  lookup: 184,
  lookups: 200,
  list: 200,
  json: 240,
  secret: 120,
};

const pixelsOfCharacter = 8;
const pixelsAround = 44;
/** “UTC”, behind the name of a column of times. */
const pixelsOfZone = 32;

/** In pixels: wide enough for values of the kind, and for the name. */
export function widthOf({ kind, name }: Column): number {
  const ofZone = kind === 'datetime' ? pixelsOfZone : 0;
  return Math.max(widths[kind], Math.min(name.length, 24) * pixelsOfCharacter + ofZone + pixelsAround);
}
