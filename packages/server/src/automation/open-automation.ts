import { type DueHandler, DueRunner, type DueRunnerOptions } from './due.ts';

export type AutomationDeps = Omit<DueRunnerOptions, 'handlers'>;

export interface Automation {
  /** Has what is due looked for now. */
  wake(): void;
  close(): Promise<void>;
}

/** What an org has configured to happen by itself. */
export function openAutomation(deps: AutomationDeps): Automation {
  const handlers = new Map<string, DueHandler>();
  return new DueRunner({ ...deps, handlers });
}
