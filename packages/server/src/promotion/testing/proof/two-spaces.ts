/** An org in both of its data spaces, nodes that serve it, and a builder who changes what is configured in test. */
import type { AuditContext } from '../../../audit/audit-entry.ts';
import { changeConfig } from '../../../config/change-config.ts';
import { type ConfigReader, createConfigReader } from '../../../config/config-reader.ts';
import type { ConfigItem, StoredSetting } from '../../../config/config-set.ts';
import { activeItems, itemBodies, liveSettings } from '../../../config/org-keys.ts';
import type { SettingType } from '../../../config/setting.ts';
import { createCursors } from '../../../records/listing/cursor.ts';
import type { OpenedStore, Store } from '../../../store/port.ts';
import { openMemory } from '../../../store/testing/open-memory.ts';
import type { Environment } from '../../../tenancy/workspace.ts';
import { kindsWith } from '../../../testing/config-kinds.ts';
import { RecordBench, SteppedClock, user, withoutOthers } from '../../../testing/record-bench.ts';
import { type ConfigItems, createConfigItems, createPromotion, type Promotion } from '../../promotion.ts';
import type { PromotionCommand } from '../../promotion-deps.ts';

export const org = 'acme';
const auditContext: AuditContext = {
  at: '2026-01-01T00:00:00Z',
  actor: { kind: 'org_user', id: user },
  request_id: '',
};
export const command: PromotionCommand = { orgCode: org, auditContext };

function settingType(key: string, needs: SettingType<number>['needs']): SettingType<number> {
  return {
    key,
    description: 'A number.',
    byDefault: 1,
    schema: { type: 'integer' },
    parse: (input) =>
      typeof input === 'number'
        ? { value: input }
        : { errors: [{ pointer: '', code: 'wrong_type', message: 'must be a number' }] },
    ...(needs === undefined ? {} : { needs }),
  };
}

/** The door hangs in its frame where it is wide. */
const door = settingType('house.door', (value) => (value > 5 ? [{ key: 'house.frame', reason: 'hangs in it' }] : []));
export const kinds = kindsWith([door, settingType('house.frame', undefined)]);

/** A process that promotes, with caches of its own. */
export interface PromotionNode {
  readonly promotion: Promotion;
  readonly items: ConfigItems;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
}

export type Stores = Readonly<Record<Environment, Store>>;

export type Planted = (store: Store) => Store;

export class TwoSpaces {
  readonly clock: SteppedClock;
  readonly opened: Readonly<Record<Environment, OpenedStore>>;
  readonly bench: Readonly<Record<Environment, RecordBench>>;

  readonly #planted: Planted;

  /** @param planted what is wrong with all that is written for promotion: nothing, unless a test is to find it. */
  constructor(
    opened: Readonly<Record<Environment, OpenedStore>>,
    clock: SteppedClock,
    planted: Planted = (store) => store,
  ) {
    this.clock = clock;
    this.opened = opened;
    this.#planted = planted;
    // Work of test that takes time takes none of production's.
    this.bench = { test: new RecordBench(opened.test, new SteppedClock()), prod: new RecordBench(opened.prod, clock) };
  }

  static async inMemory(planted?: Planted, clock = new SteppedClock()): Promise<TwoSpaces> {
    return new TwoSpaces({ test: await openMemory({ clock }), prod: await openMemory({ clock }) }, clock, planted);
  }

  get stores(): Stores {
    return { test: this.opened.test.store, prod: this.opened.prod.store };
  }

  node({ test, prod }: Stores = this.stores): PromotionNode {
    const { clock } = this;
    const stores = { test, prod: this.#planted(prod) };
    const configs = {
      test: createConfigReader({ store: stores.test, clock }),
      prod: createConfigReader({ store: stores.prod, clock }),
    };
    const cursors = createCursors(new Uint8Array(32));
    const deps = { stores, configs, clock, kinds, cursors, wake: () => undefined };
    return { configs, promotion: createPromotion(deps), items: createConfigItems(deps) };
  }

  /**
   * The same org as it is now, in memory, for those who try what would come of something.
   * @param reworded gives the text in place of the JSON of each item.
   */
  async copy(reworded = (text: string): string => text): Promise<TwoSpaces> {
    const spaces = await TwoSpaces.inMemory(this.#planted, this.clock);
    for (const env of ['test', 'prod'] as const) {
      const [from, to] = [this.opened[env].maintenance, spaces.opened[env].maintenance];
      for (const head of await from.scopes(undefined, 1000)) {
        const items = await from.scan(head.name, undefined, 100_000);
        const inOrder = items.toSorted((left, right) => Number('target' in left) - Number('target' in right));
        await to.load(
          head,
          inOrder.map((item) => JSON.parse(reworded(JSON.stringify(item)))),
        );
      }
    }
    return spaces;
  }

  /** Makes or changes an entity of test; undefined takes it away. Refused as a builder would be. */
  async editEntity(name: string, members: object | undefined): Promise<void> {
    const { clock } = this.bench.test;
    const { admin, configs } = this.bench.test.node();
    const isThere = (await configs.current(org)).active(name) !== undefined;
    if (members === undefined) await admin.remove(org, name);
    else if (isThere) {
      const body = await withoutOthers(admin, name, members);
      await admin.change(org, { api: `create-${name}`, body, force: true });
    } else await admin.define(org, { entityName: name, ...members });
    // Dropped parts are taken apart six seconds after that was seen, and then values are erased.
    for (let round = 0; round < 2; round++) {
      clock.advance(6500);
      await this.bench.test.workOff();
    }
  }

  /** Puts an item of another kind into test as it is, whatever it holds; undefined takes it away. */
  async editItem(item: ConfigItem, content: unknown): Promise<void> {
    const store = this.opened.test.store;
    const configs = createConfigReader({ store, clock: this.clock });
    const isSetting = item.kind === 'settings';
    const any = { if: 'any' } as const;
    await changeConfig({ store, configs }, org, async (_set, version) => {
      if (content === undefined)
        return { changes: [isSetting ? liveSettings.remove(item.name, 'any') : activeItems.remove(item, 'any')] };
      const live = isSetting
        ? liveSettings.put(item.name, { ...(content as Omit<StoredSetting, 'version'>), version }, any)
        : activeItems.put(item, { version }, any);
      return { changes: [live, itemBodies.insert({ ...item, version }, content)] };
    });
  }
}
