import { isDeepStrictEqual } from 'node:util';
import { type Audited, auditEntry } from '../../audit/audit-entry.ts';
import type { ApiVersions, ConfigSet } from '../../config/port.ts';
import { type ConfigItem, changeConfig, itemChanged, itemKey, newBodies } from '../../config/port.ts';
import type { EntityStep } from '../../entities/port.ts';
import { fieldsToHide, refuseFailingRecords } from '../../entities/port.ts';
import { invalidBody, Problem } from '../../lib/problem.ts';
import { cooperatively } from '../../lib/scheduling/cooperatively.ts';
import { actions, bodiesOfContent, type EntityContent } from '../../schema/port.ts';
import type { Change } from '../../store/port.ts';
import { bodiesAfter } from '../checks/checks.ts';
import { type Bodies, type ItemChangeKind, itemOf, readAll } from '../differences/compare.ts';
import type { PromotionCommand, PromotionDeps } from '../promotion-deps.ts';
import { bodyPuts, type ItemBody } from './item-bodies.ts';
import { newlyDangling, refuseDangling } from './item-references.ts';
import { parseContent } from './parse-content.ts';
import { type ItemTarget, planItems } from './plan-items.ts';
import { liveItem, liveItems } from './read-items.ts';

/** What an item of test is to be; without content it is taken away. */
export interface ItemEdit extends ConfigItem {
  readonly content: unknown;
  /** Which version of it is brought back. */
  readonly restored?: number;
}

export interface EditOptions {
  /** Takes definitions also where stored records contradict them. */
  readonly force: boolean;
  /** Looks at what stands before anything is planned, and refuses it. */
  readonly judge?: (set: ConfigSet, before: Bodies) => void;
}

export interface ChangedItems {
  /** The config version that the edits made; where nothing was changed, the one that stands. */
  readonly version: number;
  readonly items: readonly (ConfigItem & { readonly change: ItemChangeKind })[];
  /** What of the records is served no more and stays. */
  readonly warnings: readonly string[];
}

/**
 * Changes items of test, any number of them by one commit. An item that is as it is to be stays at its version.
 * @throws Problem `validation_failed`, `unknown_field`, `conflict`, `dangling_reference`, `plan_limit_exceeded`.
 */
export async function changeItems(
  deps: PromotionDeps,
  command: PromotionCommand,
  edits: readonly ItemEdit[],
  { force, judge }: EditOptions,
): Promise<ChangedItems> {
  const { orgCode } = command;
  const test = { store: deps.stores.test, configs: deps.configs.test };
  const parsed = await parseEdits(deps, edits);
  const { planned } = await changeConfig(test, orgCode, async (set, next) => {
    const place = { store: test.store, orgCode, set };
    const before = await readAll(place);
    judge?.(set, before);
    const steps = await stepsOf(set, { edits: parsed, before, next });
    const targets = steps.map(({ target }) => target);
    refuseTooMany(set, targets);
    const after = [...bodiesAfter(before, targets).values()];
    await refuseTooMuch(targets, after);
    refuseDangling(await newlyDangling(deps.kinds, [...before.values()], after));
    const planParts = { ...test, clock: deps.clock, gate: deps.gates?.test };
    const plan = await planItems(planParts, { ...place, next, keepsRecords: false }, targets);
    if (!force) await refuseFailingRecords(test.store, { orgCode, set }, plan.steps);
    const told = steps.flatMap((step) => [step.noted(command), auditEntry(command.auditContext, step.audited)]);
    const changes = [...plan.changes, ...steps.flatMap(({ puts }) => puts), ...told];
    return {
      changes,
      version: next,
      items: steps.map(({ target, change }) => ({ ...itemOf(target), change })),
      warnings: plan.steps.flatMap(hiddenWarnings),
    };
  });
  deps.wake();
  const { version, items, warnings } = planned;
  return { version, items, warnings };
}

function hiddenWarnings(step: EntityStep): readonly string[] {
  return fieldsToHide(step).map(
    (name) => `entity \`${step.name}\`: field \`${name}\` is hidden, and records keep what they have of it`,
  );
}

async function parseEdits({ kinds }: PromotionDeps, edits: readonly ItemEdit[]): Promise<readonly ItemEdit[]> {
  const parsedEdits: ItemEdit[] = [];
  for await (const edit of cooperatively(edits)) {
    if (edit.content === undefined) {
      parsedEdits.push(edit);
      continue;
    }
    const parsed = await parseContent(kinds, edit);
    if ('errors' in parsed)
      throw invalidBody(
        edits.length === 1
          ? parsed.errors
          : parsed.errors.map((error) => ({ ...error, message: `${edit.kind} \`${edit.name}\`: ${error.message}` })),
      );
    parsedEdits.push({ ...edit, content: parsed.content });
  }
  return parsedEdits;
}

interface EditStep {
  readonly change: ItemChangeKind;
  readonly target: ItemTarget;
  readonly puts: readonly Change[];
  readonly noted: (command: PromotionCommand) => Change;
  readonly audited: Audited;
}

interface Editing {
  readonly edit: ItemEdit;
  readonly before: ItemBody | undefined;
  readonly next: number;
}

interface EditingAll {
  readonly edits: readonly ItemEdit[];
  readonly before: Bodies;
  readonly next: number;
}

async function stepsOf(set: ConfigSet, { edits, before, next }: EditingAll): Promise<readonly EditStep[]> {
  const steps: EditStep[] = [];
  for await (const edit of cooperatively(edits))
    steps.push(...stepOf(set, { edit, before: before.get(itemKey(edit)), next }));
  return steps;
}

/** None where the item is so already. */
function stepOf(set: ConfigSet, { edit, before, next }: Editing): readonly EditStep[] {
  const { content, restored } = edit;
  if (isDeepStrictEqual(before?.content, content)) return [];
  const item = itemOf(edit);
  const change = before === undefined ? 'added' : content === undefined ? 'removed' : 'modified';
  const versions = content === undefined ? next : versionsOf(set, { edit, before, next });
  const action = restored === undefined ? verbs[change] : 'restored';
  const configs = typeof versions === 'number' ? {} : { configs: versions };
  const noted = { version: next, action, ...configs, ...(restored === undefined ? {} : { restored }) } as const;
  return [
    {
      change,
      target: { ...item, wanted: content === undefined ? undefined : { content, versions } },
      puts: newPuts(edit, versions, next),
      noted: ({ auditContext }) => itemChanged(item, auditContext, noted),
      audited: {
        action: `${auditNames[item.kind]}.${audited[change]}`,
        target: { kind: auditNames[item.kind], id: item.name },
        env: 'test',
        detail: { version: next },
      },
    },
  ];
}

const verbs = { added: 'created', modified: 'changed', removed: 'removed' } as const;
const audited = { added: 'defined', modified: 'changed', removed: 'removed' } as const;
const auditNames = {
  entity: 'entity',
  settings: 'setting',
  logicblock: 'logicblock',
  event: 'event',
  crew: 'crew',
} as const;

/** Of an entity the configs that stay as they are keep their versions. */
function versionsOf(set: ConfigSet, { edit: { kind, name, content }, before, next }: Editing): number | ApiVersions {
  if (kind !== 'entity') return next;
  const live = before === undefined ? undefined : liveItem(set, { kind, name });
  const after = bodiesOfContent(content as EntityContent);
  const standing = before === undefined ? undefined : bodiesOfContent(before.content as EntityContent);
  const versions = actions.map((action) => {
    const stays = standing !== undefined && live !== undefined && isDeepStrictEqual(standing[action], after[action]);
    return [action, stays && typeof live.versions !== 'number' ? live.versions[action] : next];
  });
  return Object.fromEntries(versions) as ApiVersions;
}

/** Configs of an entity that stay have their bodies already. */
function newPuts({ kind, name, content }: ItemEdit, versions: number | ApiVersions, next: number): readonly Change[] {
  if (content === undefined) return [];
  if (typeof versions === 'number') return bodyPuts({ kind, name, version: next, content });
  return newBodies(content as EntityContent, versions, next);
}

/** How many items of a kind an org may have; of entities their own limit says. */
const itemsMax = 500;

export function refuseTooMany(set: ConfigSet, targets: readonly ItemTarget[]): void {
  for (const kind of ['logicblock', 'event', 'crew'] as const) {
    const live = new Set(liveItems(set, kind).map(({ name }) => name));
    for (const { kind: of, name, wanted } of targets) if (of === kind && wanted !== undefined) live.add(name);
    if (live.size > itemsMax)
      throw new Problem('conflict', `an org may have at most ${itemsMax} items of the kind \`${kind}\``);
  }
}

/** What logic blocks, events and crews may come to together; entities have bounds of their own. */
const charactersMax = 16 * 1024 * 1024;

/** @throws Problem `conflict`: whoever compares or exports a configuration holds all of it at once. */
export async function refuseTooMuch(targets: readonly ItemTarget[], after: readonly ItemBody[]): Promise<void> {
  if (!targets.some(({ kind, wanted }) => isPlain(kind) && wanted !== undefined)) return;
  let characters = 0;
  for await (const { kind, content } of cooperatively(after))
    if (isPlain(kind)) characters += JSON.stringify(content).length;
  if (characters <= charactersMax) return;
  throw new Problem(
    'conflict',
    `the logic blocks, events and crews of an org may have at most ${charactersMax} characters together`,
  );
}

function isPlain(kind: ConfigItem['kind']): boolean {
  return kind !== 'entity' && kind !== 'settings';
}
