import { accountFlows } from './account-flows.ts';
import { testFlows } from './test-flows.ts';

await testFlows(accountFlows);
