import { type ConfigItem, itemKey } from '../../config/port.ts';
import { cooperatively } from '../../lib/scheduling/event-loop.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import type { ConfigKinds, ItemReference } from '../config-kind.ts';
import { referencesOf } from '../items/item-references.ts';
import { type PromotionDeps, promotionContext } from '../promotion-deps.ts';
import { readStaged, type StagedItem } from '../releases/staging.ts';
import { type Bodies, compareBodies, type ItemChangeKind, type ItemDifference, itemOf, readAll } from './compare.ts';
import { diffJson, isLoss, type PatchOperation } from './describe-change.ts';

/** An item of test that is not the same in production. */
export interface ShownDifference extends ConfigItem {
  readonly change: ItemChangeKind;
  /** Whether a publication of it waits for its activation. */
  readonly staged: boolean;
  /** Whether test has gone on since then. */
  readonly edited_since_staged?: boolean;
  /** RFC 6902, from what production has to what test has. */
  readonly changes: readonly PatchOperation[];
  /** The same in words. */
  readonly summary: readonly string[];
  /** Those of them that say what is taken out. */
  readonly losses: readonly string[];
  /** The items that it cannot do without; those that production lacks are published with it. */
  readonly depends_on: readonly (ItemReference & { readonly in_production: boolean })[];
}

/** Both sides of an org's configuration, and what is on its way from one to the other. */
export interface SpaceComparison {
  readonly test: Bodies;
  readonly prod: Bodies;
  readonly differences: readonly ItemDifference[];
}

export async function compareEnvironments(deps: PromotionDeps, orgCode: string): Promise<SpaceComparison> {
  const test = await readAll(await promotionContext(deps, 'test', orgCode));
  const prod = await readAll(await promotionContext(deps, 'prod', orgCode));
  return { test, prod, differences: await compareBodies(prod, test) };
}

export async function showDiff(deps: PromotionDeps, orgCode: string): Promise<readonly ShownDifference[]> {
  const { prod, differences } = await compareEnvironments(deps, orgCode);
  const rows = await readStaged(deps.stores.prod.scope(orgScopeName(orgCode)));
  const staged = new Map(rows.map(({ staged }) => [itemKey(staged), staged]));
  const shown: ShownDifference[] = [];
  for await (const difference of cooperatively(differences)) {
    const waiting = staged.get(itemKey(difference));
    shown.push({
      ...itemOf(difference),
      change: difference.change,
      staged: waiting !== undefined,
      ...(waiting === undefined ? {} : { edited_since_staged: isEdited(waiting, difference) }),
      ...changeOf(deps.kinds, difference),
      depends_on: dependenciesOf(deps.kinds, difference, prod),
    });
  }
  return shown;
}

export type ShownChange = Pick<ShownDifference, 'changes' | 'summary' | 'losses'>;

/** A difference as a patch and in words. */
export function changeOf(kinds: ConfigKinds, { kind, name, before, after }: ItemDifference): ShownChange {
  const change = { name, before: before?.content, after: after?.content };
  const summary = kinds[kind].describe(change);
  return { changes: patchOf(change.before, change.after), summary, losses: summary.filter(isLoss) };
}

/** The whole document appears and vanishes under the pointer of all of it. */
function patchOf(before: unknown, after: unknown): readonly PatchOperation[] {
  if (before === undefined) return [{ op: 'add', path: '', value: after }];
  if (after === undefined) return [{ op: 'remove', path: '' }];
  return diffJson(before, after);
}

function isEdited({ change, test_version }: StagedItem, { after }: ItemDifference): boolean {
  return change === 'remove' ? after !== undefined : after?.version !== test_version;
}

function dependenciesOf(kinds: ConfigKinds, { after }: ItemDifference, prod: Bodies): ShownDifference['depends_on'] {
  if (after === undefined) return [];
  return referencesOf(kinds, after).map((reference) => ({ ...reference, in_production: prod.has(itemKey(reference)) }));
}
