import { deployFlows } from './flows/deploy-flows.ts';
import { testFlows } from './test-flows.ts';

await testFlows(deployFlows);
