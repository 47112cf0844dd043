import type { Preconditions } from '../../api/headers/preconditions.ts';
import type { ConfigItem } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import { entityTag, holdsFor } from '../../records/port.ts';
import { bodiesAfter } from '../checks/checks.ts';
import { itemOf, readAll } from '../differences/compare.ts';
import {
  type PromotionCommand,
  type PromotionContext,
  type PromotionDeps,
  promotionContext,
} from '../promotion-deps.ts';
import { changeItems, refuseErrors } from './change-items.ts';
import { expressionErrors, newNameErrors, parseContent } from './content-errors.ts';
import { newlyDangling, refuseDangling } from './item-references.ts';
import { bodyAtVersion, unknownItem } from './item-versions.ts';
import { liveItem } from './read-items.ts';
import { type ShownItem, showItem, withContent } from './show-items.ts';

/** A change of an item of test. */
export interface ItemChange extends Preconditions {
  readonly item: ConfigItem;
  /** Changes an entity also where its records contradict what it is to be. */
  readonly force?: boolean;
}

interface ItemContent {
  readonly content: unknown;
}

/** Makes an item that is not there yet. @throws Problem `conflict`, or what `changeItems` throws. */
export function createItem(
  deps: PromotionDeps,
  command: PromotionCommand,
  made: ItemChange & ItemContent,
): Promise<ShownItem> {
  // The body holds the content beside the name.
  return write(deps, command, { ...made, at: '/content' }, (place) => {
    const { kind, name } = made.item;
    if (liveItem(place, made.item) !== undefined)
      throw new Problem('conflict', `there is a ${kind} \`${name}\` already`);
  });
}

/** Gives an item another content as a whole. @throws Problem `not_found`, `version_mismatch`, or what `changeItems` throws. */
export function replaceItem(
  deps: PromotionDeps,
  command: PromotionCommand,
  change: ItemChange & ItemContent,
): Promise<ShownItem> {
  const { item } = change;
  return write(deps, command, change, (place) => {
    if (liveItem(place, item) === undefined && deps.kinds[item.kind].hasDefaults !== true) throw unknownItem(item);
    requireMatch(place, change);
  });
}

/**
 * Makes an earlier version live again, also of an item that was taken away.
 * @throws Problem `not_found`, `conflict`, `version_mismatch`, or what `changeItems` throws.
 */
export async function restoreItem(
  deps: PromotionDeps,
  command: PromotionCommand,
  change: ItemChange & { readonly version: number },
): Promise<ShownItem> {
  const { item, version: restored } = change;
  const { body } = await bodyAtVersion(deps, { ...command, item, version: restored });
  if (body === undefined)
    throw new Problem('conflict', `version ${restored} removed the ${item.kind}, so there is nothing to restore`);
  const { content } = body;
  return write(deps, command, { ...change, content, restored }, (place) => requireMatch(place, change));
}

/** Takes an item away. @throws Problem `not_found`, `version_mismatch`, `dangling_reference` where another refers to it. */
export async function removeItem(deps: PromotionDeps, command: PromotionCommand, change: ItemChange): Promise<void> {
  const { item } = change;
  const judge = (place: PromotionContext): void => {
    if (liveItem(place, item) === undefined) throw unknownItem(item);
    requireMatch(place, change);
  };
  await changeItems(deps, command, [{ ...item, content: undefined }], { force: false, judge });
}

interface ItemWriting extends ItemChange, ItemContent {
  readonly restored?: number;
  readonly at?: string;
}

async function write(
  deps: PromotionDeps,
  command: PromotionCommand,
  { item, content, force = false, restored, at = '' }: ItemWriting,
  judge: (place: PromotionContext) => void,
): Promise<ShownItem> {
  const edit = { ...item, content, ...(restored === undefined ? {} : { restored }) };
  const { version, items, warnings } = await changeItems(deps, command, [edit], { force, judge, at });
  const { orgCode } = command;
  if (items.length === 0) return showItem(deps, { env: 'test', orgCode, item });
  // The version that this change made: others may have made another of it since.
  const { noted, body } = await bodyAtVersion(deps, { orgCode, item, version });
  const listed = { ...itemOf(item), version, updated_at: noted.at, updated_by: noted.actor };
  const shown = withContent(deps, listed, body?.content);
  const allWarnings = [...(shown.warnings ?? []), ...warnings];
  return allWarnings.length > 0 ? { ...shown, warnings: allWarnings } : shown;
}

function requireMatch(place: PromotionContext, { item, ifMatch, ifNoneMatch }: ItemChange): void {
  if (ifMatch === undefined && ifNoneMatch === undefined) return;
  const live = liveItem(place, item);
  if (live === undefined && ifMatch === undefined) return;
  if (live === undefined) throw unknownItem(item);
  const etag = entityTag(live.version);
  if (holdsFor({ ifMatch, ifNoneMatch }, (tag) => tag === etag)) return;
  const message = `a precondition failed: the version of the ${item.kind} \`${item.name}\` is ${live.version}`;
  throw new Problem('version_mismatch', message, { etag, version: live.version });
}

/** A content that is not to be stored, checked as if an item of test were to have it. */
export interface ContentToCheck extends ConfigItem {
  readonly orgCode: string;
  readonly content: unknown;
  /** The pointer to the content in the body, into which errors point: a JSON pointer. */
  readonly at: string;
}

/** The content in its one form. @throws Problem `validation_failed`, `unknown_field`, `dangling_reference`. */
export async function checkContent(deps: PromotionDeps, draft: ContentToCheck): Promise<unknown> {
  const { orgCode, at, kind, name } = draft;
  const { kinds } = deps;
  const item = { kind, name };
  const sent = { count: 1, at };
  const parsed = await parseContent(kinds, draft);
  if ('errors' in parsed) return refuseErrors([{ item, errors: parsed.errors }], sent);
  const { content } = parsed;
  const context = await promotionContext(deps, 'test', orgCode);
  const before = await readAll(context);
  refuseErrors(newNameErrors(kinds, before, [item]), sent);
  const targets = [{ ...item, wanted: { content, versions: context.set.version + 1 } }];
  const after = [...bodiesAfter(before, targets).values()];
  refuseErrors(await expressionErrors(kinds, targets, after), sent);
  refuseDangling(await newlyDangling(kinds, [...before.values()], after));
  return content;
}
