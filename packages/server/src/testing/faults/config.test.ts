import { configFlows } from './flows/config-flows.ts';
import { testFlows } from './test-flows.ts';

await testFlows(configFlows);
