import { scheduleFlows } from './flows/schedule-flows.ts';
import { testFlows } from './test-flows.ts';

await testFlows(scheduleFlows);
