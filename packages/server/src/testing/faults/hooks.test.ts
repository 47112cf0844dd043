import { hookFlows } from './flows/hook-flows.ts';
import { testFlows } from './test-flows.ts';

await testFlows(hookFlows);
