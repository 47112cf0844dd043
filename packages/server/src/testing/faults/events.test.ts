import { eventFlows } from './flows/event-flows.ts';
import { testFlows } from './test-flows.ts';

await testFlows(eventFlows);
