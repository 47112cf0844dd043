import { isDeepStrictEqual } from 'node:util';
import { type Audited, auditEntry } from '../../audit/audit-entry.ts';
import type { ConfigSet } from '../../config/port.ts';
import { type ConfigItem, changeConfig, configItemKinds, itemChanged, itemKey } from '../../config/port.ts';
import type { EntityStep } from '../../entities/port.ts';
import { fieldsToHide, refuseFailingRecords } from '../../entities/port.ts';
import { invalidBody, Problem } from '../../lib/problem.ts';
import { cooperatively } from '../../lib/scheduling/cooperatively.ts';
import type { Change } from '../../store/port.ts';
import { adviceOn } from '../checks/advice.ts';
import { bodiesAfter } from '../checks/checks.ts';
import { traitsOf } from '../config-kinds.ts';
import { type Bodies, type ItemChangeKind, itemOf, readAll } from '../differences/compare.ts';
import type { BodyVersions, ItemBody } from '../item-storage.ts';
import type { PromotionCommand, PromotionDeps } from '../promotion-deps.ts';
import { refuseTooManyEvents } from './event-bound.ts';
import { expressionErrors, type MistakenItem } from './expression-errors.ts';
import { bodyPuts } from './item-bodies.ts';
import { newlyDangling, refuseDangling } from './item-references.ts';
import { newNameErrors } from './new-names.ts';
import { parseContent } from './parse-content.ts';
import { type ItemTarget, planItems } from './plan-items.ts';
import { liveItem, liveItems } from './read-items.ts';
import { refuseTooManyStarts } from './start-bounds.ts';

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
  /** Where in what was sent the content is that errors point into: a JSON pointer. */
  readonly at?: string;
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
  { force, judge, at = '' }: EditOptions,
): Promise<ChangedItems> {
  const { orgCode } = command;
  const test = { store: deps.stores.test, configs: deps.configs.test };
  const parsed = await parseEdits(deps, edits, at);
  const { planned } = await changeConfig(test, orgCode, async (set, next) => {
    const place = { store: test.store, orgCode, set };
    const before = await readAll(place);
    judge?.(set, before);
    const made = parsed.filter(({ content, restored }) => content !== undefined && restored === undefined);
    refuseErrors(newNameErrors(deps.kinds, before, made), { count: edits.length, at });
    const steps = await stepsOf(set, { edits: parsed, before, next });
    const targets = steps.map(({ target }) => target);
    refuseTooMany(set, targets);
    const after = [...bodiesAfter(before, targets).values()];
    await refuseTooMuch(targets, after);
    refuseTooManyEvents([...before.values()], after);
    refuseTooManyStarts(targets, after);
    refuseErrors(await expressionErrors(deps.kinds, targets, after), { count: edits.length, at });
    refuseDangling(await newlyDangling(deps.kinds, [...before.values()], after));
    const planParts = { ...test, clock: deps.clock, gate: deps.gates?.test };
    const plan = await planItems(planParts, { ...place, next, keepsRecords: false }, targets);
    if (!force) await refuseFailingRecords(test.store, { orgCode, set }, plan.steps);
    const told = steps.flatMap((step) => [step.noted(command), auditEntry(command.auditContext, step.audited)]);
    const changes = [...plan.changes, ...steps.flatMap(({ puts }) => puts), ...told];
    const advice = await adviceOn(deps.kinds, { set, steps: plan.steps, before, after, targets });
    return {
      changes,
      version: next,
      items: steps.map(({ target, change }) => ({ ...itemOf(target), change })),
      warnings: [...plan.steps.flatMap(hiddenWarnings), ...advice.map(({ message }) => message)],
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

async function parseEdits(
  { kinds }: PromotionDeps,
  edits: readonly ItemEdit[],
  at: string,
): Promise<readonly ItemEdit[]> {
  const parsedEdits: ItemEdit[] = [];
  for await (const edit of cooperatively(edits)) {
    if (edit.content === undefined) {
      parsedEdits.push(edit);
      continue;
    }
    const parsed = await parseContent(kinds, edit);
    if ('content' in parsed) parsedEdits.push({ ...edit, content: parsed.content });
    else refuseErrors([{ item: edit, errors: parsed.errors }], { count: edits.length, at });
  }
  return parsedEdits;
}

interface Sent {
  /** How many items were sent together. */
  readonly count: number;
  readonly at: string;
}

/** @throws Problem `validation_failed` where there are any errors; they name their items where several were sent. */
export function refuseErrors(mistaken: readonly MistakenItem[], { count, at }: Sent): void {
  const errors = mistaken.flatMap(({ item: { kind, name }, errors: own }) =>
    own.map(({ pointer, message, ...error }) => ({
      ...error,
      pointer: `${at}${pointer}`,
      message: count === 1 ? message : `${kind} \`${name}\`: ${message}`,
    })),
  );
  if (errors.length > 0) throw invalidBody(errors);
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
  const { singular } = traitsOf(item);
  const change = before === undefined ? 'added' : content === undefined ? 'removed' : 'modified';
  const versions = content === undefined ? next : versionsOf(set, { edit, before, next });
  const action = restored === undefined ? verbs[change] : 'restored';
  const configs = typeof versions === 'number' ? {} : { configs: versions };
  const noted = { version: next, action, ...configs, ...(restored === undefined ? {} : { restored }) } as const;
  return [
    {
      change,
      target: { ...item, wanted: content === undefined ? undefined : { content, versions } },
      puts: content === undefined ? [] : bodyPuts({ ...item, version: next, content }, versions),
      noted: ({ auditContext }) => itemChanged(item, auditContext, noted),
      audited: {
        action: `${singular}.${audited[change]}`,
        target: { kind: singular, id: item.name },
        env: 'test',
        detail: { version: next },
      },
    },
  ];
}

const verbs = { added: 'created', modified: 'changed', removed: 'removed' } as const;
const audited = { added: 'defined', modified: 'changed', removed: 'removed' } as const;

function versionsOf(set: ConfigSet, { edit, before, next }: Editing): BodyVersions {
  const { versionsAfter } = traitsOf(edit).storage;
  if (versionsAfter === undefined) return next;
  const live = before === undefined ? undefined : liveItem(set, edit)?.versions;
  return versionsAfter({ before: before?.content, after: edit.content, live, next });
}

/** How many items of a bounded kind an org may have. */
const itemsMax = 500;

export function refuseTooMany(set: ConfigSet, targets: readonly ItemTarget[]): void {
  for (const kind of configItemKinds.filter((one) => isBounded({ kind: one }))) {
    const live = new Set(liveItems(set, kind).map(({ name }) => name));
    for (const { kind: of, name, wanted } of targets) if (of === kind && wanted !== undefined) live.add(name);
    if (live.size > itemsMax)
      throw new Problem('conflict', `an org may have at most ${itemsMax} items of the kind \`${kind}\``);
  }
}

/** What the items of all bounded kinds may come to together. */
const charactersMax = 16 * 1024 * 1024;

/** @throws Problem `conflict`: a comparison or export holds all of the configuration at once. */
export async function refuseTooMuch(targets: readonly ItemTarget[], after: readonly ItemBody[]): Promise<void> {
  if (!targets.some((target) => isBounded(target) && target.wanted !== undefined)) return;
  let characters = 0;
  for await (const body of cooperatively(after)) if (isBounded(body)) characters += JSON.stringify(body.content).length;
  if (characters <= charactersMax) return;
  const bounded = configItemKinds.flatMap((kind) => traitsOf({ kind }).boundedAs ?? []);
  const told = `${bounded.slice(0, -1).join(', ')} and ${bounded.at(-1)}`;
  throw new Problem('conflict', `the ${told} of an org may have at most ${charactersMax} characters together`);
}

function isBounded(item: Pick<ConfigItem, 'kind'>): boolean {
  return traitsOf(item).boundedAs !== undefined;
}
