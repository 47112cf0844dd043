import type { InputError } from '@freehold/contract/problem';
import { type Reference, referencesTo } from '../../config/port.ts';
import { invalidInput } from '../../lib/problem.ts';
import { type CompiledEntity, fieldNamed, lookupOf } from '../../schema/port.ts';
import type { RecordCall } from '../writing/write-loop.ts';

/** Other records that a reply shows with each record of an entity. */
export interface Expansion {
  /** The name in the request and the reply. */
  readonly name: string;
  /** `forward` is the record that `field` refers to, `backward` are those of `entity` that refer to it by `field`. */
  readonly direction: 'forward' | 'backward';
  readonly field: string;
  readonly entity: CompiledEntity;
  /** The expansions of its records. */
  readonly nested: readonly Expansion[];
}

/** The most expansions of one request, each with those nested in it counted for itself, and their depth. */
const expansionsMax = 10;
const levelsMax = 2;

/** @param text names with commas between them; a dot leads from one to what is nested in it. @throws Problem `invalid_request`. */
export async function readExpand(
  call: Pick<RecordCall, 'config' | 'entity'>,
  text: string,
): Promise<readonly Expansion[]> {
  const errors: InputError[] = [];
  const add = (code: string, message: string): void => void errors.push({ pointer: '/expand', code, message });
  const names = readNames(text, add);
  const tree = errors.length > 0 ? [] : await resolve(call.config, { entity: call.entity, names }, add);
  if (errors.length > 0) throw invalidInput('invalid_request', errors);
  return tree;
}

type AddExpandError = (code: string, message: string) => void;

/** Names, each with those that are nested in it. */
type NameTree = Map<string, NameTree>;

function readNames(text: string, add: AddExpandError): NameTree {
  const root: NameTree = new Map();
  let count = 0;
  // No more of them are read than shows that they are too many.
  const paths = text.split(',', expansionsMax + 1);
  for (const path of paths) {
    const steps = path.split('.', levelsMax + 1);
    if (steps.length > levelsMax) add('too_deep', `\`expand\` takes at most ${levelsMax} levels`);
    let level = root;
    for (const step of steps) {
      const next = level.get(step) ?? new Map();
      if (!level.has(step)) count += 1;
      level.set(step, next);
      level = next;
    }
  }
  if (Math.max(paths.length, count) > expansionsMax) add('too_many', `\`expand\` takes at most ${expansionsMax} names`);
  return root;
}

interface ExpandSource {
  readonly entity: CompiledEntity;
  readonly names: NameTree;
}

async function resolve(
  config: RecordCall['config'],
  { entity, names }: ExpandSource,
  add: AddExpandError,
): Promise<readonly Expansion[]> {
  const expansions: Expansion[] = [];
  for (const [name, inner] of names) {
    const found = await resolveName(config, entity, name);
    if ('message' in found) {
      add(found.code, found.message);
      continue;
    }
    const target = await config.entity(found.target);
    if (target === undefined) add('unknown_expand', unknownName(entity, name));
    else {
      const nested = await resolve(config, { entity: target, names: inner }, add);
      const { direction, field } = found;
      expansions.push({ name, direction, field, entity: target, nested });
    }
  }
  return expansions;
}

type Resolved = Pick<Expansion, 'direction' | 'field'> & { readonly target: string };

/** A lookup comes before an entity that refers to this one, should both have one name. */
async function resolveName(
  config: RecordCall['config'],
  entity: CompiledEntity,
  name: string,
): Promise<Resolved | { readonly code: string; readonly message: string }> {
  const field = fieldNamed(entity, name);
  const lookup = field === undefined ? undefined : lookupOf(field.definition);
  if (field !== undefined && lookup !== undefined)
    return { direction: 'forward', field: field.name, target: lookup.entity };
  const [reference, other] = await referencesCalled(config, entity, name);
  if (reference === undefined) return { code: 'unknown_expand', message: unknownName(entity, name) };
  if (other !== undefined)
    return {
      code: 'ambiguous_expand',
      message: `\`${name}\` is \`${reference.field}\` of \`${reference.entity}\` and \`${other.field}\` of \`${other.entity}\``,
    };
  if (!reference.isReady)
    return {
      code: 'unindexed_expand',
      message: `the index of \`${reference.entity}\` on \`${reference.field}\` is still being built: try again in a moment`,
    };
  return { direction: 'backward', field: reference.field, target: reference.entity };
}

/** The references that a name means: one of a field is known by each alias of the field, too. */
async function referencesCalled(
  config: RecordCall['config'],
  entity: CompiledEntity,
  name: string,
): Promise<readonly Reference[]> {
  const called: Reference[] = [];
  for (const reference of referencesTo(config, entity.name)) {
    const start = backwardName({ entity: reference.entity, field: '' });
    if (!name.startsWith(start)) continue;
    const field = name.slice(start.length);
    const holder = field === reference.field ? undefined : await config.entity(reference.entity);
    if (field === reference.field || holder?.aliases.get(field) === reference.field) called.push(reference);
  }
  return called;
}

/** The way the records of an entity are called that refer to another one by a field. */
export function backwardName({ entity, field }: { readonly entity: string; readonly field: string }): string {
  return `${entity}_via_${field}`;
}

function unknownName({ name: entityName }: CompiledEntity, name: string): string {
  return `\`${name.slice(0, 140)}\` is neither a lookup of \`${entityName}\` nor the \`{entity}_via_{field}\` of one that refers to it`;
}
