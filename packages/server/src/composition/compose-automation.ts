/** Puts together what runs by the configuration of an org. */
import { type Automation, createScriptRunner, openAutomation } from '../automation/port.ts';
import type { ConfigReaders } from '../config/port.ts';
import { createRunCallers } from '../gateway/run-callers.ts';
import type { DecisionLog } from '../iam/port.ts';
import type { WorkSessionDeps } from '../identity/port.ts';
import type { IdSource } from '../lib/ids.ts';
import type { Cursors, RecordRuntime } from '../records/port.ts';
import type { Spaces } from './open-spaces.ts';

export interface ComposeAutomationDeps extends WorkSessionDeps {
  readonly configs: ConfigReaders;
  readonly decisions: DecisionLog;
  readonly runtime: RecordRuntime;
  readonly cursors: Cursors;
  readonly newId: IdSource;
  readonly onError: (error: unknown) => void;
}

export function composeAutomation({ test, prod }: Spaces, deps: ComposeAutomationDeps): Automation {
  return openAutomation({
    ...deps,
    spaces: { test, prod },
    callers: createRunCallers(deps),
    scripts: createScriptRunner(),
  });
}
