import { keyFlows } from './flows/key-flows.ts';
import { testFlows } from './test-flows.ts';

await testFlows(keyFlows);
