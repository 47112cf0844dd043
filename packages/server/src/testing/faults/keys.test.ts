import { keyFlows } from './key-flows.ts';
import { testFlows } from './test-flows.ts';

await testFlows(keyFlows);
