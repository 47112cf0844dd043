import { personFlows } from './person-flows.ts';
import { testFlows } from './test-flows.ts';

await testFlows(personFlows);
