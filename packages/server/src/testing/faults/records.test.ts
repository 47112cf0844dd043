import { recordFlows } from './flows/record-flows.ts';
import { testFlows } from './test-flows.ts';

await testFlows(recordFlows);
