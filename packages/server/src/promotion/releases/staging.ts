import { createHash } from 'node:crypto';
import type { AuditActor } from '../../audit/audit-entry.ts';
import { type ConfigItem, itemKey } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import { cooperatively } from '../../lib/scheduling/event-loop.ts';
import type { Change, Key, Put, Scope } from '../../store/port.ts';
import { asRead, json, table } from '../../store/table.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import type { ConfigKinds, ItemTarget } from '../config-kind.ts';
import { type Bodies, itemOf, readAll } from '../differences/compare.ts';
import type { ItemBody } from '../item-storage.ts';
import { type BodyContext, bodyKeys, bodyPuts, MissingBody, readBodies } from '../items/read-items.ts';
import type { PromotionContext } from '../promotion-deps.ts';
import { currentRelease } from './releases.ts';

/** An item that waits to become live in production, frozen as it was when it was published. */
export interface StagedItem extends ConfigItem {
  readonly change: 'put' | 'remove';
  /** Of a put the version under which its bodies lie in production. */
  readonly body: number;
  /** The version in test that it was frozen from; 0 of a removal. */
  readonly test_version: number;
  readonly release_id: string;
  readonly staged_at: string;
  readonly staged_by: AuditActor;
  readonly note?: string;
  /** Why it was staged with others without being named. */
  readonly reason?: string;
}

/** A staged item, and the version of the row that says so. */
interface StagedRow {
  readonly staged: StagedItem;
  readonly rowVersion: number;
}

const stagedRows = 'deploy;staged';

/** Becomes another one with everything that is staged or withdrawn. */
const stagingKey: Key = { pk: 'deploy', sk: 'staging' };
export const stagingMoves: Put = { kind: 'put', ...stagingKey, value: '{}', if: 'any' };

/** Counts publications: a body is never written under a number that another had. */
export const publicationCounter: Key = { pk: 'deploy', sk: 'publications' };

export const stagedItems = table(
  (item: ConfigItem) => ({ pk: stagedRows, sk: itemKey(item) }),
  json<StagedItem>('staged item', { kind: 'string', name: 'string', change: 'string', body: 'number' }),
);

/** Makes a commit that unstages all items fail if others were staged meanwhile. */
export const nothingLeftStaged: Change = { kind: 'check-empty', pk: stagedRows, prefix: '' };

export async function readStaged(scope: Scope): Promise<readonly StagedRow[]> {
  const rows = await stagedItems.range(scope, stagedRows, { limit: stagedMax });
  return rows.map(({ value, version }) => ({ staged: value, rowVersion: version }));
}

/** As many as an org may have items of all kinds. */
const stagedMax = 10_000;

/** Takes what was never live away with its bodies; a conflict where it has just become live or was staged again. */
export function unstage(kinds: ConfigKinds, { staged, rowVersion }: StagedRow): readonly Change[] {
  const keys = staged.change === 'put' ? bodyKeys(kinds, staged, staged.body) : [];
  return [
    stagedItems.remove(staged, { version: rowVersion }),
    ...keys.map((key): Change => ({ kind: 'remove', ...key, if: 'any' })),
  ];
}

/** Names all that is staged, as it is frozen. */
export function stagedBase(rows: readonly StagedRow[]): string {
  return baseOf(rows.map(({ staged, rowVersion }) => `${itemKey(staged)}@${rowVersion}`));
}

/** A digest of the reviewed texts, to be sent with the confirmation. */
export function baseOf(texts: readonly string[]): string {
  return createHash('sha256').update(texts.join('\n')).digest('base64url').slice(0, 22);
}

/** @throws Problem `version_mismatch` if the reviewed state is no longer the present one. */
export function refuseOtherBase(base: string, agreed: string | undefined, message: string): void {
  if (agreed !== undefined && base !== agreed) throw new Problem('version_mismatch', message, { base: base });
}

/** The live items of production, and the live items after all that is staged were activated. */
export interface StagedTargets {
  readonly rows: readonly StagedRow[];
  readonly before: Bodies;
  readonly targets: readonly ItemTarget[];
}

export async function stagedTargets(place: PromotionContext): Promise<StagedTargets> {
  const staged = await readStagedTargets(place);
  return { ...staged, before: await readAll(place) };
}

/** All that is staged, with the bodies that it was frozen as. */
export async function readStagedTargets(place: BodyContext): Promise<Pick<StagedTargets, 'rows' | 'targets'>> {
  const scope = place.store.scope(orgScopeName(place.orgCode));
  for (let rows = await readStaged(scope); ; ) {
    try {
      return { rows, targets: await targetsOf(place, rows) };
    } catch (error) {
      const now = await readStaged(scope);
      // Others withdrew or staged again in between, and the bodies went with that.
      if (!(error instanceof MissingBody) || versionsOf(now) === versionsOf(rows)) throw error;
      rows = now;
    }
  }
}

async function targetsOf(place: BodyContext, rows: readonly StagedRow[]): Promise<readonly ItemTarget[]> {
  const puts = rows.flatMap(({ staged }) =>
    staged.change === 'put' ? [{ ...itemOf(staged), versions: staged.body }] : [],
  );
  const bodies = await readBodies(place, puts);
  const contents = new Map(bodies.map((body) => [itemKey(body), body.content]));
  return rows.map(({ staged }): ItemTarget => {
    if (staged.change === 'remove') return { ...itemOf(staged), wanted: undefined };
    return { ...itemOf(staged), wanted: { content: contents.get(itemKey(staged)), versions: staged.body } };
  });
}

function versionsOf(rows: readonly StagedRow[]): string {
  return rows.map(({ rowVersion }) => rowVersion).join();
}

/** The items that one publication stages together. */
interface Publication {
  readonly items: readonly StagedItem[];
  /** All that was staged when it was planned, */
  readonly rows: readonly StagedRow[];
  /** and what of it is to be so no more. */
  readonly settled: readonly StagedRow[];
  readonly conditions: readonly Change[];
  readonly logEntry: Change;
}

/** The conditions of a commit to production on the current release, and on the staged items, as they are now. */
export async function conditionsNow(scope: Scope): Promise<readonly Change[]> {
  const currentKey = currentRelease.key();
  const [current, staging] = await scope.get([currentKey, stagingKey]);
  return [
    { kind: 'check', ...currentKey, if: asRead(current) },
    { ...stagingMoves, if: asRead(staging) },
  ];
}

/** Well below what one commit may hold. */
const bytesPerCommit = 2 * 1024 * 1024;
const putsPerCommit = 1000;

export async function writeBodies(kinds: ConfigKinds, scope: Scope, bodies: readonly ItemBody[]): Promise<void> {
  let puts: Put[] = [];
  let bytes = 0;
  for await (const body of cooperatively(bodies))
    for (const put of bodyPuts(kinds, body)) {
      const size = Buffer.byteLength(put.value);
      if (puts.length > 0 && (bytes + size > bytesPerCommit || puts.length === putsPerCommit)) {
        await scope.commit(puts);
        [puts, bytes] = [[], 0];
      }
      puts.push(put);
      bytes += size;
    }
  if (puts.length > 0) await scope.commit(puts);
}

/** Takes bodies away that were written for nothing. */
export async function removeBodies(kinds: ConfigKinds, scope: Scope, bodies: readonly ItemBody[]): Promise<void> {
  const keys = bodies.flatMap((body) => bodyKeys(kinds, body, body.version));
  if (keys.length > 0) await scope.commit(keys.map(removal));
}

/** The previous staging of an item is removed with its bodies. */
export function stage(
  kinds: ConfigKinds,
  { items, rows, settled, conditions, logEntry }: Publication,
): readonly Change[] {
  const before = new Map(rows.map((row) => [itemKey(row.staged), row]));
  const staged = items.flatMap((item) => stageOne(kinds, item, before.get(itemKey(item))));
  return [...conditions, ...staged, ...settled.flatMap((row) => unstage(kinds, row)), logEntry];
}

function stageOne(kinds: ConfigKinds, item: StagedItem, before: StagedRow | undefined): readonly Change[] {
  const condition = before === undefined ? 'absent' : { version: before.rowVersion };
  const put = stagedItems.put(item, item, { if: condition });
  const left = before?.staged.change === 'put' ? bodyKeys(kinds, item, before.staged.body) : [];
  return [put, ...left.map(removal)];
}

function removal(key: Key): Change {
  return { kind: 'remove', ...key, if: 'any' };
}
