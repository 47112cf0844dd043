/** Brings the records of test to what the rows say: makes what is missing, changes what differs, and leaves the rest. */
import type { AppCalls } from '../app/app-calls.ts';
import { CommandError } from '../frame/command-error.ts';
import { isObject, type JsonObject } from '../json-object.ts';
import { hasCode, knownError, mayPass } from '../management/known-error.ts';
import type { SeedEntity } from './natural-keys.ts';
import { keyOfReference, type Reference } from './references.ts';
import { foldAscii, resolveValues, type SeedRow, textOfValue } from './seed-row.ts';
import { type FieldTypes, hasValue } from './typed-values.ts';

export interface SeedFigures {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

export interface Applying {
  readonly waves: readonly (readonly SeedRow[])[];
  readonly entities: ReadonlyMap<string, SeedEntity>;
  readonly isDryRun: boolean;
  appOf(workspace: string): Promise<AppCalls>;
  /** Whether a dry run takes the record for one that would be there by now. */
  mayBeMade(reference: Reference): boolean;
  progress(text: string): void;
  /** For each record that is made or changed. */
  changed(row: SeedRow, what: 'create' | 'update', fields: readonly string[]): void;
}

type Done = 'created' | 'updated' | 'unchanged';

const atOnce = 4;
const mistakesMax = 20;

/** @throws CommandError that names each row that failed. What was done before stays: a second run goes on from there. */
export async function applyRows(applying: Applying): Promise<SeedFigures> {
  const figures = { created: 0, updated: 0, unchanged: 0 };
  const ids = createIds(applying);
  let done = 0;
  const all = applying.waves.reduce((sum, wave) => sum + wave.length, 0);
  for (const wave of applying.waves) {
    const mistakes: string[] = [];
    const queue = wave.values();
    const work = async () => {
      for (const row of queue) {
        if (mistakes.length >= mistakesMax) return;
        try {
          figures[await applyRow(applying, ids, row)] += 1;
        } catch (error) {
          mistakes.push(...mistakesOf(row, error));
        }
        done += 1;
        applying.progress(`${done} of ${all} rows`);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    if (mistakes.length > 0)
      throw new CommandError(
        `seeds were not written completely: ${figures.created} created, ${figures.updated} updated`,
        {
          code: 'seeds_refused',
          lines: mistakes,
          next: 'correct the rows, and run the command again: it goes on from here',
        },
      );
  }
  return figures;
}

function mistakesOf({ place }: SeedRow, error: unknown): readonly string[] {
  const known = knownError(error);
  if (known === undefined || mayPass(error)) throw error;
  return [`${place}: ${known.message}`, ...(known.details.lines ?? []).map((line) => `${place}: ${line}`)];
}

async function applyRow(applying: Applying, ids: Ids, row: SeedRow): Promise<Done> {
  const { entities, isDryRun } = applying;
  const { types, key, ignoresCase } = entities.get(row.entity) ?? noKey;
  const known = await ids.of(row);
  const values = resolveValues(row.values, (reference) => known.get(keyOfReference(reference)) ?? '');
  const app = await applying.appOf(row.workspace);
  const where = key.map((field) => [field, textOfValue(values[field]) ?? ''] as const);
  // A row that refers to a record which a dry run would only make is new itself where its key says so.
  const isNew = where.some(([, value]) => isToBeMade(value));
  const [exact, second] = isNew ? [] : await find(app, row.entity, where);
  if (second !== undefined)
    throw new CommandError(`several records have this ${key.join(' and ')}: the key names none of them alone`);
  const inAnyCase = async () => (ignoresCase ? await findInAnyCase(app, row.entity, { where, types }) : undefined);
  const stored = exact ?? (isDryRun && !isNew ? await inAnyCase() : undefined);
  const writing = { applying, ids, row, app, values };
  if (stored !== undefined) return updateRow(writing, types, stored);
  try {
    return await createRow(writing);
  } catch (error) {
    // To look before each create would be to go through the list for each row.
    const other = hasCode(error, ...refusals) ? await inAnyCase() : undefined;
    if (other === undefined) throw error;
    return updateRow(writing, types, other);
  }
}

/** The way a create is refused of a record that is there: a row need not name each required field of it. */
const refusals = ['unique_violation', 'validation_failed'];

const noKey: SeedEntity = { types: new Map(), key: [], ignoresCase: false };

interface Writing {
  readonly applying: Applying;
  readonly ids: Ids;
  readonly row: SeedRow;
  readonly app: AppCalls;
  readonly values: JsonObject;
}

async function createRow({ applying, ids, row, app, values }: Writing): Promise<Done> {
  const made = applying.isDryRun
    ? toBeMade(row)
    : String((await app.json(`/create/${row.entity}`, { method: 'POST', body: values })).id);
  applying.changed(row, 'create', Object.keys(values));
  ids.set(row, made);
  return 'created';
}

async function updateRow(writing: Writing, types: FieldTypes, stored: JsonObject): Promise<Done> {
  const { applying, ids, row, app, values } = writing;
  ids.set(row, String(stored.id));
  const differing = Object.entries(values).filter(([name, value]) => !hasValue(types.get(name), value, stored[name]));
  if (differing.length === 0) return 'unchanged';
  applying.changed(
    row,
    'update',
    differing.map(([name]) => name),
  );
  const path = `/update/${row.entity}/${encodeURIComponent(String(stored.id))}`;
  if (!applying.isDryRun) await app.json(path, { method: 'PUT', body: Object.fromEntries(differing) });
  return 'updated';
}

interface KeyValues {
  readonly where: readonly (readonly [field: string, value: string])[];
  readonly types: FieldTypes;
}

/** The record whose key is another one by the case of ASCII letters alone, found by going through the list. */
async function findInAnyCase(
  app: AppCalls,
  entity: string,
  { where, types }: KeyValues,
): Promise<JsonObject | undefined> {
  const isText = ([field]: readonly [string, string]) => texts.includes(types.get(field)?.colType ?? 'string');
  const conditions = where
    .filter(isText)
    .map(([field, value]) => `record["${field}"].lowerAscii() == ${JSON.stringify(foldAscii(value))}`);
  if (conditions.length === 0) return undefined;
  const others = where.filter((one) => !isText(one));
  const [found] = await find(app, entity, [...others, ['filter', conditions.join(' && ')]]);
  return found;
}

/** The types that are texts in expressions. */
const texts: readonly string[] = ['string', 'email', 'url', 'guid', 'enum'];

const mark = '(to be made) ';
const toBeMade = ({ place }: SeedRow): string => `${mark}${place}`;
const isToBeMade = (value: string): boolean => value.startsWith(mark);

/** Two records at most: a second one says that the first is not the only one. */
export async function find(
  app: AppCalls,
  entity: string,
  where: readonly (readonly [string, string])[],
): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  let nexttoken: string | undefined;
  do {
    const query = { ...Object.fromEntries(where), $pagesize: 2, $nexttoken: nexttoken };
    const page = await app.json(`/list/${entity}`, { query });
    found.push(...(Array.isArray(page.items) ? page.items.filter(isObject) : []));
    nexttoken = typeof page.nexttoken === 'string' ? page.nexttoken : undefined;
  } while (nexttoken !== undefined && found.length < 2);
  return found;
}

interface Ids {
  /** The ids of what a row refers to, by the key of the reference. @throws CommandError where one is not there. */
  of(row: SeedRow): Promise<ReadonlyMap<string, string>>;
  set(row: SeedRow, id: string): void;
}

function createIds({ waves, appOf, mayBeMade }: Applying): Ids {
  const known = new Map<string, string>();
  const shapes = new Map<string, Set<string>>();
  for (const { entity, where } of waves.flat().flatMap(({ references }) => references)) {
    const ofEntity = shapes.get(entity) ?? new Set();
    shapes.set(entity, ofEntity.add(JSON.stringify(where.map(([field]) => field))));
  }
  const keyIn = (workspace: string, reference: Reference) => `${workspace} ${keyOfReference(reference)}`;
  return {
    of: async (row) => {
      const found = new Map<string, string>();
      for (const reference of row.references) {
        const key = keyIn(row.workspace, reference);
        const id = known.get(key) ?? (await lookUp(await appOf(row.workspace), reference, mayBeMade(reference)));
        known.set(key, id);
        found.set(keyOfReference(reference), id);
      }
      return found;
    },
    set: ({ workspace, entity, values }, id) => {
      for (const shape of shapes.get(entity) ?? []) {
        const fields = JSON.parse(shape) as readonly string[];
        const where = fields.map((field) => [field, textOfValue(values[field]) ?? ''] as const);
        known.set(keyIn(workspace, { entity, where }), id);
      }
    },
  };
}

async function lookUp(app: AppCalls, { entity, where }: Reference, mayBeMade: boolean): Promise<string> {
  const [found, second] = await find(app, entity, where);
  if (found === undefined && mayBeMade) return `${mark}${entity}`;
  const description = `\`@${entity}.${where.map(([field, value]) => `${field}=${value}`).join('&')}\``;
  if (found === undefined)
    throw new CommandError(`${description} names no record, neither in the seeds nor in the workspace`);
  if (second !== undefined) throw new CommandError(`${description} names several records`);
  return String(found.id);
}
