import { runFlows } from './flows/run-flows.ts';
import { testFlows } from './test-flows.ts';

await testFlows(runFlows);
