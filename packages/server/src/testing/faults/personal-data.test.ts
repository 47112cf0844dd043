import { personalDataFlows } from './flows/personal-data-flows.ts';
import { testFlows } from './test-flows.ts';

await testFlows(personalDataFlows);
