/** An org whose blocks have schedules, and nodes that begin what is due and die. Only tests may use it. */
import type { TestContext } from 'node:test';
import { changeConfig } from '../../../config/change-config.ts';
import { createConfigReader } from '../../../config/config-reader.ts';
import { activeItems, itemBodies } from '../../../config/org-keys.ts';
import type { Problem } from '../../../lib/problem.ts';
import { ScopeClosed, type Store } from '../../../store/port.ts';
import type { StoreKind } from '../../../store/testing/open-test-store.ts';
import { ownerOfScope } from '../../../tenancy/workspace.ts';
import { openBench, type RecordBench } from '../../../testing/record-bench.ts';
import type { DueHandler } from '../../../work/due-work.ts';
import { createStoredBlocks } from '../../blocks/stored-blocks.ts';
import type { LogicBlockContent } from '../../kinds/logicblock.ts';
import type { BlockSchedule } from '../../kinds/logicblock-starts.ts';
import type { Run } from '../../runs/run-rows.ts';
import { startRun } from '../../runs/runs.ts';
import { openedRuns, runRows } from '../../runs/testing/opened-runs.ts';
import { noMeter } from '../../testing/no-meter.ts';
import { openSchedules, reconcileHandler, type Schedules, scheduleHandler } from '../schedules.ts';

export interface ScheduleNode {
  readonly schedules: Schedules;
  /** Does what is due now of schedules, once. Gives how much that was. */
  pass(): Promise<number>;
}

export interface ScheduleBench {
  readonly bench: RecordBench;
  /** The schedules with a refused run that the org was notified of. */
  readonly report: string[];
  /** Publishes a block; without a schedule, or without a block where the content is undefined. */
  define(name: string, content: Partial<LogicBlockContent> | undefined): Promise<void>;
  node(options?: { readonly store?: Store; readonly ahead?: number }): ScheduleNode;
  /** The due times of the runs that began, by workspace, in their order. */
  started(block: string, tenantCode?: string): Promise<readonly string[]>;
  runsOf(tenantCode?: string): Promise<readonly Run[]>;
  /** No further run begins in the org while this is a code. */
  refusal: Problem | undefined;
}

export const orgCode = 'acme';
export const place = { env: 'test', orgCode } as const;

export function every(schedule: Partial<BlockSchedule> = {}): Partial<LogicBlockContent> {
  return { run_as: 'app', schedule: { cron: '0 * * * *', timezone: 'UTC', missed: 'skip', ...schedule } };
}

export async function openScheduleBench(context: TestContext, kind: StoreKind = 'memory'): Promise<ScheduleBench> {
  const bench = await openBench(context, kind);
  await bench.found(bench.workspace);
  const { clock } = bench;
  const { store, maintenance } = bench.opened;
  const report: string[] = [];
  const made: ScheduleBench = {
    ...{ bench, report, refusal: undefined },
    define: async (name, content) => {
      const item = { kind: 'logicblock', name } as const;
      const body = { name, policies: [], steps: [{ id: 'one', type: 'set', values: {} }], ...content };
      await changeConfig({ store, configs: createConfigReader({ store, clock }) }, orgCode, async (_set, version) => ({
        changes:
          content === undefined
            ? [activeItems.remove(item, 'present')]
            : [
                activeItems.put(item, { version }, { if: 'any' }),
                itemBodies.insert({ ...item, version }, body as LogicBlockContent),
              ],
      }));
    },
    node: ({ store: own = store, ahead = 0 } = {}) => {
      const nodeClock = { now: () => clock.now() + ahead };
      const configs = createConfigReader({ store: own, clock: nodeClock });
      const both = { configs: { test: configs, prod: configs }, stores: { test: own, prod: own } };
      const deps = { ...both, clock: nodeClock, blocks: createStoredBlocks(both) };
      const tick = scheduleHandler({
        ...deps,
        meter: {
          check: () => {
            if (made.refusal !== undefined) throw made.refusal;
          },
        },
        start: (ask, along) => startRun({ ...deps, runRows, meter: noMeter }, ask, along),
        notify: async (_place, { name }) => void report.push(name),
      });
      const handlers = new Map<string, DueHandler>([
        ['schedules', reconcileHandler(deps)],
        ['schedule', tick],
      ]);
      const pass = async (): Promise<number> => {
        const due = await maintenance.due('automation', nodeClock.now(), 100);
        const own_ = due.filter(({ item }) => handlers.has(JSON.parse(item.value).job));
        for (const { scope, item } of own_) {
          const owner = ownerOfScope(scope);
          if (owner === undefined) continue;
          const work = { env: 'test', ...owner, scope: own.scope(scope), item } as const;
          await handlers
            .get(JSON.parse(item.value).job)?.(work)
            .catch((error: unknown) => {
              if (!(error instanceof ScopeClosed)) throw error;
            });
        }
        return own_.length;
      };
      return { schedules: openSchedules(deps), pass };
    },
    started: async (block, tenantCode) =>
      (await made.runsOf(tenantCode)).filter((run) => run.block === block).map(({ trigger }) => trigger.id),
    runsOf: async (tenantCode = 'main') => {
      const { scope } = bench.workspaceOf(tenantCode);
      const all = await openedRuns(scope);
      return all.map(({ value }) => value);
    },
  };
  return made;
}
