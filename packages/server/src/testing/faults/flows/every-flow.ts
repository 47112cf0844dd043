import { accountFlows } from './account-flows.ts';
import { alertFlows } from './alert-flows.ts';
import { builderFlows } from './builder-flows.ts';
import { configFlows } from './config-flows.ts';
import { deployFlows } from './deploy-flows.ts';
import { describedFlows } from './described-flows.ts';
import { eventFlows } from './event-flows.ts';
import { factorFlows } from './factor-flows.ts';
import type { Flow } from './flow.ts';
import { hookFlows } from './hook-flows.ts';
import { itemFlows } from './item-flows.ts';
import { keyFlows } from './key-flows.ts';
import { personFlows } from './person-flows.ts';
import { personalDataFlows } from './personal-data-flows.ts';
import { recordFlows } from './record-flows.ts';
import { runFlows } from './run-flows.ts';
import { scheduleFlows } from './schedule-flows.ts';
import { secretFlows } from './secret-flows.ts';
import { templateFlows } from './template-flows.ts';
import { workspaceFlows } from './workspace-flows.ts';

const written: readonly Flow[] = [
  accountFlows,
  alertFlows,
  builderFlows,
  configFlows,
  deployFlows,
  eventFlows,
  factorFlows,
  hookFlows,
  itemFlows,
  keyFlows,
  personFlows,
  personalDataFlows,
  recordFlows,
  runFlows,
  scheduleFlows,
  secretFlows,
  workspaceFlows,
  templateFlows,
].flatMap((flows) => Object.values(flows));

/** The flows of all other writing routes. */
export const described = describedFlows(new Set(written.map(({ route }) => route)));

export const everyFlow: readonly Flow[] = [...written, ...Object.values(described.flows)];
