import { personFlows } from './flows/person-flows.ts';
import { testFlows } from './test-flows.ts';

await testFlows(personFlows);
