import type { InputError } from '@freehold/contract/problem';
import { type ConfigItem, configItemKinds, isObject, itemKey, unknownMembers, wrong } from '../config/port.ts';
import { invalidBody } from '../lib/problem.ts';

export interface PublishRequest {
  readonly items: readonly ConfigItem[] | 'all';
  readonly note?: string;
}

export interface ActivateRequest {
  readonly note?: string;
  /** Makes it live also where records of production contradict it. */
  readonly force: boolean;
  /** What was told of all that is staged, and is agreed to; left out, whatever is staged goes live. */
  readonly base?: string;
}

export interface RollbackRequest {
  /** The release to go to; left out it is the one before the one that is live. */
  readonly version?: number;
  readonly note?: string;
}

const itemsMax = 10_000;
const noteMax = 1000;

/** @throws Problem `validation_failed`, `unknown_field`. */
export function readPublish(body: unknown): PublishRequest {
  const { input, errors } = readObject(body, ['items', 'all', 'note']);
  const isAll = input.all === true;
  if (Object.hasOwn(input, 'all') && !isAll) errors.push(...wrong('`all` is `true` or left out', '/all').errors);
  if (isAll === Object.hasOwn(input, 'items'))
    errors.push(...wrong('either `items` or `all: true` says what is published', '/items', 'required').errors);
  const items = isAll || input.items === undefined ? [] : readItems(input.items, errors);
  const note = readNote(input.note, errors);
  if (errors.length > 0) throw invalidBody(errors);
  return { items: isAll ? 'all' : items, ...note };
}

/** @throws Problem `validation_failed`, `unknown_field`. */
export function readActivate(body: unknown): ActivateRequest {
  const { input, errors } = readObject(body ?? {}, ['note', 'force', 'base']);
  const { force = false, base } = input;
  if (typeof force !== 'boolean') errors.push(...wrong('`force` is true or false', '/force').errors);
  if (base !== undefined && typeof base !== 'string') errors.push(...wrong('`base` is a text', '/base').errors);
  const note = readNote(input.note, errors);
  if (errors.length > 0) throw invalidBody(errors);
  return { force: force === true, ...(typeof base === 'string' ? { base } : {}), ...note };
}

/** @throws Problem `validation_failed`, `unknown_field`. */
export function readRollback(body: unknown): RollbackRequest {
  const { input, errors } = readObject(body ?? {}, ['version', 'note']);
  const { version } = input;
  const isVersion = typeof version === 'number' && Number.isSafeInteger(version) && version > 0;
  if (version !== undefined && !isVersion)
    errors.push(...wrong('`version` is the version of a release, a whole number from 1', '/version').errors);
  const note = readNote(input.note, errors);
  if (errors.length > 0) throw invalidBody(errors);
  return { ...(isVersion ? { version } : {}), ...note };
}

function readObject(body: unknown, members: readonly string[]) {
  if (!isObject(body)) throw invalidBody(wrong('the body is a JSON object').errors);
  return { input: body, errors: [...unknownMembers(body, members)] as InputError[] };
}

function readNote(note: unknown, errors: InputError[]): { readonly note?: string } {
  if (note === undefined) return {};
  if (typeof note === 'string' && note.length <= noteMax) return { note };
  errors.push(...wrong(`\`note\` is a text of at most ${noteMax} characters`, '/note').errors);
  return {};
}

function readItems(input: unknown, errors: InputError[]): readonly ConfigItem[] {
  if (!Array.isArray(input) || input.length === 0 || input.length > itemsMax) {
    errors.push(...wrong(`\`items\` is an array of 1 to ${itemsMax} items`, '/items').errors);
    return [];
  }
  const items = input.flatMap((item: unknown, index) => readItem(item, `/items/${index}`, errors));
  return [...new Map(items.map((item) => [itemKey(item), item])).values()];
}

function readItem(input: unknown, pointer: string, errors: InputError[]): readonly ConfigItem[] {
  if (!isObject(input)) {
    errors.push(...wrong('an item is an object with `kind` and `name`', pointer).errors);
    return [];
  }
  errors.push(...unknownMembers(input, ['kind', 'name'], pointer));
  const kind = configItemKinds.find((one) => one === input.kind);
  const { name } = input;
  if (kind === undefined)
    errors.push(...wrong(`\`kind\` is one of ${configItemKinds.join(', ')}`, `${pointer}/kind`).errors);
  if (typeof name !== 'string' || name === '') errors.push(...wrong('`name` is a text', `${pointer}/name`).errors);
  return kind === undefined || typeof name !== 'string' ? [] : [{ kind, name }];
}
