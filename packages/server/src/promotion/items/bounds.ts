/** Bounds of an org's configuration. */
import { type ConfigItem, type ConfigItemKind, configItemKinds } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import { cooperatively } from '../../lib/scheduling/event-loop.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { ConfigKind, ConfigKinds, ItemTarget } from '../config-kind.ts';
import type { Bodies } from '../differences/compare.ts';
import type { ItemBody } from '../item-storage.ts';
import type { PromotionContext } from '../promotion-deps.ts';
import { liveItems } from './read-items.ts';

/** The most items of a bounded kind that an org may have. */
const itemsMax = 500;

/** @throws Problem `conflict`. */
export function refuseTooMany(place: PromotionContext, targets: readonly ItemTarget[]): void {
  for (const kind of configItemKinds.filter((one) => isBounded(place.kinds, { kind: one }))) {
    const live = new Set(liveItems(place, kind).map(({ name }) => name));
    for (const { kind: of, name, wanted } of targets) if (of === kind && wanted !== undefined) live.add(name);
    if (live.size > itemsMax)
      throw new Problem('conflict', `an org may have at most ${itemsMax} items of the kind \`${kind}\``);
  }
}

/** The most characters of the items of all bounded kinds together. */
const charactersMax = 16 * 1024 * 1024;

/** @throws Problem `conflict`: a comparison or export holds all of the configuration at once. */
export async function refuseTooMuch(
  kinds: ConfigKinds,
  targets: readonly ItemTarget[],
  after: readonly ItemBody[],
): Promise<void> {
  if (!targets.some((target) => isBounded(kinds, target) && target.wanted !== undefined)) return;
  let characters = 0;
  for await (const body of cooperatively(after))
    if (isBounded(kinds, body)) characters += JSON.stringify(body.content).length;
  if (characters <= charactersMax) return;
  const bounded = configItemKinds.flatMap((kind) => kinds[kind].boundedAs ?? []);
  const listed = `${bounded.slice(0, -1).join(', ')} and ${bounded.at(-1)}`;
  throw new Problem('conflict', `the ${listed} of an org may have at most ${charactersMax} characters together`);
}

function isBounded(kinds: ConfigKinds, { kind }: Pick<ConfigItem, 'kind'>): boolean {
  return kinds[kind].boundedAs !== undefined;
}

interface CountedItems {
  readonly env: Environment;
  readonly before: Bodies;
  readonly after: readonly ItemBody[];
  readonly targets: readonly ItemTarget[];
}

/** @throws Problem `conflict`. */
export function refuseTooManyOfKinds(kinds: ConfigKinds, counted: CountedItems): void {
  for (const kind of Object.values(kinds)) refuseTooManyOfKind(kind, counted);
}

/** Checks the bounds of a kind on its contents. @throws Problem `conflict`. */
export function refuseTooManyOfKind(
  { kind, refuseTooMany: refuse }: ConfigKind,
  { env, before, after, targets }: CountedItems,
): void {
  if (refuse === undefined) return;
  const wanted = targets.flatMap((target) => (target.wanted === undefined ? [] : { ...target, ...target.wanted }));
  refuse({
    env,
    before: contentsOf(kind, [...before.values()]),
    after: contentsOf(kind, after),
    wanted: contentsOf(kind, wanted),
  });
}

function contentsOf(wanted: ConfigItemKind, items: readonly Pick<ItemBody, 'kind' | 'content'>[]): readonly unknown[] {
  return items.filter(({ kind }) => kind === wanted).map(({ content }) => content);
}
