import { recordFlows } from './record-flows.ts';
import { testFlows } from './test-flows.ts';

await testFlows(recordFlows);
