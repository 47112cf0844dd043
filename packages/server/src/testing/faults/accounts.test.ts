import { accountFlows } from './flows/account-flows.ts';
import { testFlows } from './test-flows.ts';

await testFlows(accountFlows);
