import { alertFlows } from './flows/alert-flows.ts';
import { testFlows } from './test-flows.ts';

await testFlows(alertFlows);
