/** Puts together what runs by the configuration of an org. */
import {
  type Automation,
  createLogicBlocks,
  createScriptRunner,
  createStoredBlocks,
  type LogicBlocks,
  type LogicBlocksDeps,
  openAutomation,
  type ScriptRunner,
  type StoredBlocksDeps,
} from '../automation/port.ts';
import type { Clock } from '../lib/clock.ts';
import type { Spaces } from './open-spaces.ts';

export interface ComposeAutomationDeps {
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
}

export function composeAutomation({ test, prod }: Spaces, { clock, onFault }: ComposeAutomationDeps): Automation {
  return openAutomation({ spaces: { test, prod }, clock, onError: onFault });
}

export function composeLogicBlocks({
  runtime,
  clock,
  ...stored
}: StoredBlocksDeps & Omit<LogicBlocksDeps, 'blocks' | 'scripts'>): LogicBlocks & Pick<ScriptRunner, 'close'> {
  const scripts = createScriptRunner();
  return {
    ...createLogicBlocks({ blocks: createStoredBlocks(stored), runtime, clock, scripts }),
    close: () => scripts.close(),
  };
}
