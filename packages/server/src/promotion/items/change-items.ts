import { isDeepStrictEqual } from 'node:util';
import { type Audited, auditEntry } from '../../audit/audit-entry.ts';
import { type ConfigItem, changeConfig, itemKey } from '../../config/port.ts';
import { invalidBody } from '../../lib/problem.ts';
import { cooperatively } from '../../lib/scheduling/event-loop.ts';
import type { Change } from '../../store/port.ts';
import { adviceOn, bodiesAfter } from '../checks/checks.ts';
import type { ItemTarget } from '../config-kind.ts';
import { type Bodies, type ItemChangeKind, itemOf, readAll } from '../differences/compare.ts';
import type { BodyVersions, ItemBody } from '../item-storage.ts';
import type { PromotionCommand, PromotionContext, PromotionDeps } from '../promotion-deps.ts';
import { refuseTooMany, refuseTooManyOfKinds, refuseTooMuch } from './bounds.ts';
import { expressionErrors, type MistakenItem, newNameErrors, parseContent } from './content-errors.ts';
import { itemChanged } from './item-history.ts';
import { newlyDangling, refuseDangling } from './item-references.ts';
import { type ItemsPlan, planItems } from './plan-items.ts';
import { bodyPuts, liveItem } from './read-items.ts';

/** The target of an item of test; without content it is taken away. */
export interface ItemEdit extends ConfigItem {
  readonly content: unknown;
  /** The version of it that is brought back. */
  readonly restored?: number;
}

interface EditOptions {
  /** Takes definitions also where stored records contradict them. */
  readonly force: boolean;
  /** Looks at the current items before anything is planned, and may refuse the edits. */
  readonly judge?: (place: PromotionContext, before: Bodies) => void;
  /** The pointer to the content in the body, into which errors point: a JSON pointer. */
  readonly at?: string;
}

interface ChangedItems {
  /** The config version that the edits made; where nothing was changed, the current one. */
  readonly version: number;
  readonly items: readonly (ConfigItem & { readonly change: ItemChangeKind })[];
  /** Parts of the records that are served no more and stay. */
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
  const { kinds } = deps;
  const test = { store: deps.stores.test, configs: deps.configs.test };
  const parsed = await parseEdits(deps, edits, at);
  const { planned } = await changeConfig(test, orgCode, async (set, next) => {
    const place = { store: test.store, orgCode, set, kinds };
    const before = await readAll(place);
    judge?.(place, before);
    const made = parsed.filter(({ content, restored }) => content !== undefined && restored === undefined);
    refuseErrors(newNameErrors(kinds, before, made), { count: edits.length, at });
    const steps = await stepsOf(place, { edits: parsed, before, next });
    const targets = steps.map(({ target }) => target);
    refuseTooMany(place, targets);
    const after = [...bodiesAfter(before, targets).values()];
    await refuseTooMuch(kinds, targets, after);
    refuseTooManyOfKinds(kinds, { env: 'test', before, after, targets });
    refuseErrors(await expressionErrors(kinds, targets, after), { count: edits.length, at });
    refuseDangling(await newlyDangling(kinds, [...before.values()], after));
    const planParts = { ...test, clock: deps.clock, gate: deps.gates?.test, kinds };
    const plan = await planItems(planParts, { ...place, next, keepsRecords: false }, targets);
    if (!force) await refuseFailing(plan);
    const entry = steps.flatMap((step) => [step.noted(command), auditEntry(command.auditContext, step.audited)]);
    const changes = [...plan.changes, ...steps.flatMap(({ puts }) => puts), ...entry];
    const advice = await adviceOn(kinds, { set, plan, before, after, targets });
    return {
      changes,
      version: next,
      items: steps.map(({ target, change }) => ({ ...itemOf(target), change })),
      warnings: [...plan.records.flatMap((one) => one.warnings), ...advice.map(({ message }) => message)],
    };
  });
  deps.wake();
  const { version, items, warnings } = planned;
  return { version, items, warnings };
}

/** @throws Problem `conflict` where records contradict what is to come, or cannot all be looked at. */
async function refuseFailing({ records }: ItemsPlan): Promise<void> {
  for (const one of records) for await (const { problem } of one.failing()) throw problem;
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

interface SentNotice {
  /** The number of items that were sent together. */
  readonly count: number;
  readonly at: string;
}

/** @throws Problem `validation_failed` where there are any errors; they name their items where several were sent. */
export function refuseErrors(mistaken: readonly MistakenItem[], { count, at }: SentNotice): void {
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

async function stepsOf(
  place: PromotionContext,
  { edits, before, next }: { readonly edits: readonly ItemEdit[]; readonly before: Bodies; readonly next: number },
): Promise<readonly EditStep[]> {
  const steps: EditStep[] = [];
  for await (const edit of cooperatively(edits))
    steps.push(...stepOf(place, { edit, before: before.get(itemKey(edit)), next }));
  return steps;
}

/** None where the item is so already. */
function stepOf(place: PromotionContext, { edit, before, next }: Editing): readonly EditStep[] {
  const { content, restored } = edit;
  if (isDeepStrictEqual(before?.content, content)) return [];
  const item = itemOf(edit);
  const { singular } = place.kinds[item.kind];
  const change = before === undefined ? 'added' : content === undefined ? 'removed' : 'modified';
  const versions = content === undefined ? next : versionsOf(place, { edit, before, next });
  const action = restored === undefined ? verbs[change] : 'restored';
  const configs = typeof versions === 'number' ? {} : { configs: versions };
  const noted = { version: next, action, ...configs, ...(restored === undefined ? {} : { restored }) } as const;
  return [
    {
      change,
      target: { ...item, wanted: content === undefined ? undefined : { content, versions } },
      puts: content === undefined ? [] : bodyPuts(place.kinds, { ...item, version: next, content }, versions),
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

function versionsOf(place: PromotionContext, { edit, before, next }: Editing): BodyVersions {
  const { versionsAfter } = place.kinds[edit.kind].storage;
  if (versionsAfter === undefined) return next;
  const live = before === undefined ? undefined : liveItem(place, edit)?.versions;
  return versionsAfter({ before: before?.content, after: edit.content, live, next });
}
