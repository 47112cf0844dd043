/** A draft and a definition that another builder has stored meanwhile, made into one. */
import { type Definition, type Field, nameBefore, storedField, withHints } from './definition.ts';

export interface Merged {
  /** The draft with what was changed meanwhile; where both changed the same, the draft counts. */
  readonly definition: Definition;
  /** What was changed meanwhile, a sentence each. */
  readonly theirs: readonly string[];
  /** What both changed, each with the value that the draft lets go. */
  readonly conflicts: readonly string[];
}

type Members = Readonly<Record<string, unknown>>;

/** A part of the definition in the three states; undefined where it is missing. */
interface Part {
  readonly what: string;
  readonly base: Members;
  readonly mine: Members;
  readonly theirs: Members;
}

/** @param base what the draft was made from. */
export function mergeDefinitions(base: Definition, mine: Definition, theirs: Definition): Merged {
  const notes: Notes = { theirs: [], conflicts: [] };
  const members = mergeMembers(
    { what: '', base: withoutFields(base), mine: withoutFields(mine), theirs: withoutFields(theirs) },
    notes,
  );
  const definition = { ...members, UpdateParams: mergeFields([base, mine, theirs], notes) } as unknown as Definition;
  return { definition, ...notes };
}

interface Notes {
  readonly theirs: string[];
  readonly conflicts: string[];
}

/** Views are merged one by one, lists as a whole. */
function withoutFields({ UpdateParams: _, Views: views = {}, ...members }: Definition): Members {
  return { ...members, ...Object.fromEntries(Object.entries(views).map(([name, view]) => [`Views/${name}`, view])) };
}

function mergeMembers({ what, base, mine, theirs }: Part, notes: Notes): Members {
  const names = new Set([...Object.keys(theirs), ...Object.keys(mine), ...Object.keys(base)]);
  const merged: Record<string, unknown> = {};
  for (const name of names) {
    const place = what === '' ? name : `${what}: ${name}`;
    if (!isSame(theirs[name], base[name])) notes.theirs.push(`${place} is ${textOf(theirs[name])}`);
    const isKept = isSame(mine[name], base[name]);
    const value = isKept ? theirs[name] : mine[name];
    if (!isKept && ![base[name], mine[name]].some((one) => isSame(theirs[name], one)))
      notes.conflicts.push(`${place}: yours is ${textOf(mine[name])}, theirs ${textOf(theirs[name])}`);
    if (value !== undefined) merged[name] = value;
  }
  return withViews(merged);
}

function withViews(members: Members): Members {
  const isView = ([name]: [string, unknown]) => name.startsWith('Views/');
  const entries = Object.entries(members);
  const views = entries.filter(isView).map(([name, view]) => [name.slice('Views/'.length), view]);
  const others = Object.fromEntries(entries.filter((entry) => !isView(entry)));
  return views.length === 0 ? others : { ...others, Views: Object.fromEntries(views) };
}

function mergeFields([base, mine, theirs]: readonly [Definition, Definition, Definition], notes: Notes) {
  const [before, drafted, stored] = [base, mine, theirs].map(({ UpdateParams = [] }) => UpdateParams) as [
    readonly Field[],
    readonly Field[],
    readonly Field[],
  ];
  const merged = drafted.flatMap((field) => {
    const old = storedField(before, field);
    const now = old === undefined ? stored.find(({ name }) => name === field.name) : nowOf(stored, old);
    return mergeField({ old, field, now }, notes);
  });
  const known = (field: Field) => [...before, ...drafted].some((one) => nowOf(stored, one) === field);
  const added = stored.filter((field) => !known(field));
  for (const { name } of added) notes.theirs.push(`field ${name} is new`);
  for (const old of before) noteRemoval(old, drafted, nowOf(stored, old), notes);
  return [...merged, ...added];
}

/** The field as it is stored now, also under another name. */
function nowOf(stored: readonly Field[], { name }: Field): Field | undefined {
  return stored.find((field) => field.name === name) ?? stored.find(({ formerNames }) => formerNames?.includes(name));
}

interface FieldStates {
  readonly old: Field | undefined;
  readonly field: Field;
  readonly now: Field | undefined;
}

function mergeField({ old, field, now }: FieldStates, notes: Notes): readonly Field[] {
  const { renamedFrom: _, ...mine } = field;
  if (now === undefined) {
    if (old === undefined) return [field];
    notes.theirs.push(`field ${old.name} is gone`);
    if (isSame(mine, old)) return [];
    notes.conflicts.push(`field ${old.name} is gone, and yours adds it again`);
    return [mine];
  }
  const part = { what: `field ${now.name}`, base: { ...old }, mine, theirs: { ...now } };
  const merged = mergeMembers(part, notes) as unknown as Field;
  return [withHints(merged, { renamedFrom: merged.name === now.name ? undefined : now.name })];
}

/** A field that the draft removes, and that was changed meanwhile. */
function noteRemoval(old: Field, drafted: readonly Field[], now: Field | undefined, { conflicts }: Notes): void {
  const isRemoved = drafted.every((field) => nameBefore(field) !== old.name);
  if (isRemoved && now !== undefined && !isSame(old, now))
    conflicts.push(`field ${old.name} was changed, and yours removes it`);
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function textOf(value: unknown): string {
  return value === undefined ? 'not set' : JSON.stringify(value);
}
