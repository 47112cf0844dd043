import type { InputError } from '@freehold/contract/problem';
import { type ConfigItem, itemKey } from '../../config/port.ts';
import { invalidBody, type Problem } from '../../lib/problem.ts';
import { cooperatively } from '../../lib/scheduling/cooperatively.ts';
import type { ConfigKind, ConfigKinds } from '../config-kind.ts';
import {
  type Bodies,
  compareBodies,
  type ItemChangeKind,
  type ItemDifference,
  itemOf,
  readAll,
} from '../differences/compare.ts';
import { changeOf, type ShownChange } from '../differences/diff.ts';
import type { ItemBody } from '../item-storage.ts';
import { changeItems, type ItemEdit } from '../items/change-items.ts';
import { parseContent } from '../items/content-errors.ts';
import { type PromotionCommand, type PromotionDeps, promotionContext } from '../promotion-deps.ts';
import { baseOf, refuseOtherBase } from '../releases/agreed-base.ts';
import type { ArchivedItem } from './config-archive.ts';
import { type ImportProblem, importProblems, shownProblem } from './import-problems.ts';

export interface ImportOptions {
  /** Whether items of test that are not among those given are taken away. */
  readonly removes: boolean;
  /** Takes definitions also where stored records contradict them. */
  readonly force: boolean;
  /** The `base` of the comparison that is applied; without it nothing is written. */
  readonly base: string | undefined;
  /** Why the caller may not change such an item; undefined where it may. */
  readonly refusalOf: (item: ConfigItem, kind: ConfigKind) => Problem | undefined;
}

export interface Imported {
  /** Names the configuration of test that was compared. */
  readonly base: string;
  readonly applied: boolean;
  /** What the change would be refused for, as far as it is only shown yet. */
  readonly problems?: readonly ImportProblem[];
  /** What the caller may not change, and stays as it is; left out where there is nothing of that. */
  readonly refused?: readonly ImportProblem[];
  /** The config version that it made; none where nothing was to be changed. */
  readonly version?: number;
  /** What of the records is served no more and stays, once it is made; and what is likely not to mean what it says. */
  readonly warnings?: readonly string[];
  readonly items: readonly (ConfigItem & { readonly change: ItemChangeKind } & ShownChange)[];
}

/**
 * Brings test to a configuration from outside: first what would change and what stands against it, and then, with the
 * `base` of that answer, the change, all of it by one commit.
 * @throws Problem `validation_failed`, `version_mismatch` where test has changed since, and what `changeItems` throws.
 */
export async function importConfig(
  deps: PromotionDeps,
  command: PromotionCommand,
  { items, options }: { readonly items: readonly ArchivedItem[]; readonly options: ImportOptions },
): Promise<Imported> {
  const wanted = await readItems(deps.kinds, items);
  const place = await promotionContext(deps, 'test', command.orgCode);
  const before = await readAll(place);
  const after: Bodies = options.removes ? wanted : new Map([...before, ...wanted]);
  const { differences, refused, firstRefusal } = split(deps.kinds, await compareBodies(before, after), options);
  const named = refused.length === 0 ? {} : { refused };
  const base = versionsOf(before);
  const shown = await showDifferences(deps.kinds, differences);
  if (options.base === undefined) {
    const { problems, warnings } = await importProblems(deps, { place, before, differences, ...options });
    return { base, applied: false, problems, ...named, ...warned(warnings), items: shown };
  }
  if (differences.length === 0) {
    refuseOtherBase(base, options.base, changedSince);
    if (firstRefusal !== undefined) throw firstRefusal;
    return { base, applied: true, items: shown };
  }
  const edits = differences.map((one): ItemEdit => ({ ...itemOf(one), content: one.after?.content }));
  const { version, warnings } = await changeItems(deps, command, edits, {
    force: options.force,
    judge: (_place, standing) => refuseOtherBase(versionsOf(standing), options.base, changedSince),
  });
  return { base, applied: true, version, ...named, ...warned(warnings), items: shown };
}

function warned(warnings: readonly string[]): Pick<Imported, 'warnings'> {
  return warnings.length > 0 ? { warnings } : {};
}

/** What the caller may change, and what it may not. */
function split(kinds: ConfigKinds, all: readonly ItemDifference[], { refusalOf }: ImportOptions) {
  const differences: ItemDifference[] = [];
  const refused: ImportProblem[] = [];
  let firstRefusal: Problem | undefined;
  for (const one of all) {
    const refusal = refusalOf(one, kinds[one.kind]);
    if (refusal === undefined) differences.push(one);
    else refused.push(shownProblem(refusal, itemOf(one)));
    firstRefusal ??= refusal;
  }
  return { differences, refused, firstRefusal };
}

async function readItems(kinds: ConfigKinds, items: readonly ArchivedItem[]): Promise<Bodies> {
  const bodies = new Map<string, ItemBody>();
  const errors: InputError[] = [];
  for await (const { kind, name, content } of cooperatively(items)) {
    const parsed = await parseContent(kinds, { kind, name, content });
    if ('content' in parsed) bodies.set(itemKey({ kind, name }), { kind, name, version: 0, content: parsed.content });
    else errors.push(...parsed.errors.map((error) => ({ ...error, message: `${kind} \`${name}\`: ${error.message}` })));
  }
  if (errors.length > 0) throw invalidBody(errors);
  return bodies;
}

async function showDifferences(kinds: ConfigKinds, differences: readonly ItemDifference[]): Promise<Imported['items']> {
  const shown: Imported['items'][number][] = [];
  for await (const one of cooperatively(differences))
    shown.push({ ...itemOf(one), change: one.change, ...changeOf(kinds, one) });
  return shown;
}

const changedSince = 'test has changed since it was compared: review the changes again';

/** The same for the same items at the same versions. */
function versionsOf(bodies: Bodies): string {
  return baseOf([...bodies].map(([key, { version }]) => `${key}@${version}`));
}
